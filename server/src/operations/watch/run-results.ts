import type { Caller } from "#operations/context";
import type { WatchServices } from "#operations/watch/services";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import type { Connection } from "#store/database/database";
import { otherRunsIn, resultsOfRuns } from "#store/runs/run-results";
import type { Run } from "#store/runs/runs";
import { type Replacement, replacementsOf, type Results, resultsNote } from "#workflow/run/results";
import { isLive } from "#workflow/run/run-status";

/** Results of a run, and the results replaced by later runs in the workspace. */
export interface RunResults {
  readonly run: Run;
  /** Undefined while the run is live, if it declares no outputs, and for a run of an older server. */
  readonly results: Results | undefined;
  readonly replaced: readonly Replacement[];
  /** Sentence for the user if the files in the workspace may have been changed by another run. */
  readonly note: string | undefined;
}

export async function getResults(
  context: Pick<WatchServices, "db" | "clock">,
  caller: Caller,
  address: string,
): Promise<RunResults> {
  return runResults(context.db, await findRun(context, caller, address, "see"));
}

export async function runResults(db: Connection, run: Run): Promise<RunResults> {
  const laterRuns = (await otherRunsIn(db, run)).filter(({ seq }) => seq > run.seq);
  const recorded = await resultsOfRuns(
    db,
    [run, ...laterRuns].map(({ id }) => id),
  );
  const results = recorded.get(run.id);
  const later = laterRuns.map((other) => ({
    name: fullNameOf(other),
    results: recorded.get(other.id),
    isLive: isLive(other.status),
  }));
  return {
    run,
    results,
    replaced: results ? replacementsOf(results, later) : [],
    note: resultsNote(fullNameOf(run), results, later),
  };
}

/** Returns the note. Costs only one indexed query for a run without a restart. */
export async function maybeResultsNote(db: Connection, run: Run): Promise<string | undefined> {
  const others = await otherRunsIn(db, run);
  if (!others.some(({ seq }) => seq > run.seq)) return undefined;
  return (await runResults(db, run)).note;
}
