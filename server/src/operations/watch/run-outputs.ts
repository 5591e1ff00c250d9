import type { Caller } from "#operations/context";
import type { WatchServices } from "#operations/watch/services";
import { findRun } from "#operations/find-run";
import { maybeRunOutputs } from "#store/runs/run-outputs";
import type { Run } from "#store/runs/runs";

export interface RunOutputs {
  readonly run: Run;
  /** Undefined until the run has finished, and for a language without one. */
  readonly outputs: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the output object of a run, in the shape of its language. */
export async function getRunOutputs(
  context: Pick<WatchServices, "db" | "clock">,
  caller: Caller,
  address: string,
): Promise<RunOutputs> {
  const run = await findRun(context, caller, address, "see");
  return { run, outputs: await maybeRunOutputs(context.db, run.id) };
}
