import type { Caller, Operations } from "#operations/context";
import { findRun } from "#operations/find-run";
import { oneDefinition, type Run, type RunDefinition } from "#store/runs";

/** Returns what a run was created with, and what its start was given. */
export async function getDefinition(
  context: Pick<Operations, "db">,
  caller: Caller,
  address: string,
): Promise<{ readonly run: Run; readonly definition: RunDefinition }> {
  const run = await findRun(context.db, caller, address, "see");
  return { run, definition: await oneDefinition(context.db, run.id) };
}
