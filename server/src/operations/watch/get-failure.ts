import type { Caller, Operations } from "#operations/context";
import { findRun } from "#operations/find-run";
import { maybeRunFailure, type RunFailure } from "#operations/watch/run-failure";

/** Returns why a run failed, or undefined if it has not failed. */
export async function getFailure(
  { db }: Pick<Operations, "db">,
  caller: Caller,
  address: string,
): Promise<RunFailure | undefined> {
  return maybeRunFailure(db, await findRun(db, caller, address, "see"));
}
