import type { Operations } from "#operations/context";

/** Returns the server's settings that a run keeps from its start on, whatever a later server has set. */
export function keptOptions({ retries, mostOutstanding }: Pick<Operations, "retries" | "mostOutstanding">) {
  return { retries, mostOutstanding };
}
