import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { fullNameOf } from "#operations/full-name";
import type { Connection } from "#store/database";
import { otherRunsIn, resultsOfRuns } from "#store/run-results";
import type { Workflow } from "#store/workflows";
import { type Replacement, replacementsOf, type Results, resultsNote } from "#workflow/results";
import { isLive } from "#workflow/run-status";

/** Results of a run, and what later runs of its workspace replaced. */
export interface RunResults {
  readonly workflow: Workflow;
  /** Undefined while the run is live, if it declares no outputs, and for a run of an older server. */
  readonly results: Results | undefined;
  readonly replaced: readonly Replacement[];
  /** Sentence for the user if the files in the workspace may have been changed by another run. */
  readonly note: string | undefined;
}

export async function getResults(
  { db }: Pick<Operations, "db">,
  caller: Caller,
  address: string,
): Promise<RunResults> {
  return runResults(db, await findWorkflow(db, caller, address, "see"));
}

export async function runResults(db: Connection, workflow: Workflow): Promise<RunResults> {
  const laterRuns = (await otherRunsIn(db, workflow)).filter(({ seq }) => seq > workflow.seq);
  const recorded = await resultsOfRuns(
    db,
    [workflow, ...laterRuns].map(({ id }) => id),
  );
  const results = recorded.get(workflow.id);
  const later = laterRuns.map((run) => ({
    name: fullNameOf(run),
    results: recorded.get(run.id),
    isLive: isLive(run.status),
  }));
  return {
    workflow,
    results,
    replaced: results ? replacementsOf(results, later) : [],
    note: resultsNote(fullNameOf(workflow), results, later),
  };
}

/** Returns the note. It costs one indexed query if the run was never restarted. */
export async function maybeResultsNote(db: Connection, workflow: Workflow): Promise<string | undefined> {
  const others = await otherRunsIn(db, workflow);
  if (!others.some(({ seq }) => seq > workflow.seq)) return undefined;
  return (await runResults(db, workflow)).note;
}
