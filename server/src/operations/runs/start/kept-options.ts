import type { Operations } from "#operations/context";

/** Server settings kept by a run from the start. */
export type KeptSettings = Pick<Operations, "retries" | "mostOutstanding" | "reuseAcrossRuns">;

/**
 * Returns the server settings to keep for a run from the start. Later changes of the settings do not affect
 * the run.
 */
export function keptOptions(
  { retries, mostOutstanding, reuseAcrossRuns }: KeptSettings,
  { fresh = false }: { readonly fresh?: boolean },
) {
  return { retries, mostOutstanding, reuseAcrossRuns: reuseAcrossRuns === true && !fresh };
}
