import type { Operations } from "#operations/context";

/** Settings of the server that a run keeps from its start on. */
export type KeptSettings = Pick<Operations, "retries" | "mostOutstanding" | "reuseAcrossRuns">;

/** Returns the server's settings that a run keeps from its start on. Later changes of them do not concern it. */
export function keptOptions(
  { retries, mostOutstanding, reuseAcrossRuns }: KeptSettings,
  { fresh = false }: { readonly fresh?: boolean },
) {
  return { retries, mostOutstanding, reuseAcrossRuns: reuseAcrossRuns === true && !fresh };
}
