import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { maybeRunFailure, type RunFailure } from "#operations/watch/run-failure";

/** Returns why a run failed, or undefined if it has not failed. */
export async function getFailure(
  { db }: Pick<Operations, "db">,
  caller: Caller,
  address: string,
): Promise<RunFailure | undefined> {
  return maybeRunFailure(db, await findWorkflow(db, caller, address, "see"));
}
