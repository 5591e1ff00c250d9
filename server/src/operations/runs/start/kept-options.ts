import type { Operations } from "#operations/context";

/** Returns the server's settings that a run keeps from its start on. Later changes of them do not concern it. */
export function keptOptions({ retries, mostOutstanding }: Pick<Operations, "retries" | "mostOutstanding">) {
  return { retries, mostOutstanding };
}
