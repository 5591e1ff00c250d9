import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { maybeRunFailure, type RunFailure } from "#operations/run-failure";

/** Why a run failed; nothing when it has not. */
export async function getFailure(
  { db }: Pick<Operations, "db">,
  caller: Caller,
  address: string,
): Promise<RunFailure | undefined> {
  return maybeRunFailure(db, await findWorkflow(db, caller, address, "see"));
}
