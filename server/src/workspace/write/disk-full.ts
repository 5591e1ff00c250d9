import { Refusal } from "#plumbing/errors";

export function noSpace(name: string, cause: unknown): Refusal {
  const sentence = `${name} was not stored: the disk of the workspaces is full. Free some space.`;
  return new Refusal("no-space", sentence, { cause });
}
