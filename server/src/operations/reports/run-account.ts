import type { Caller } from "#operations/context";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { allJobs } from "#operations/reports/all-jobs";
import { type Preview, previewsOf } from "#operations/reports/previews";
import { redacted, redaction } from "#operations/reports/redaction";
import { type JobTotals, totalsOf } from "#operations/reports/step-totals";
import { maybeRunFailure, type RunFailure } from "#operations/watch/failure";
import { getGraph, type RunGraph } from "#operations/watch/progress/get-graph";
import { type RunResults, runResults } from "#operations/watch/run-results";
import type { WatchServices } from "#operations/watch/services";
import { Refusal } from "#plumbing/errors";
import { maybeRunBefore } from "#store/runs/restarts";
import { type Annotation, annotationsOf } from "#store/runs/run-notes";
import { oneDefinition, type Run, type RunDefinition } from "#store/runs/runs";
import { emailsOf } from "#store/users/users";
import type { Results } from "#workflow/run/results";
import { declaredPaths } from "#workflow/specification/declared-paths";

/** Facts about a run for a report, without secrets: bounded in size, however large the run is. */
export interface RunAccount {
  readonly run: Run;
  readonly name: string;
  /** E-mail address of the owner. */
  readonly owner: string;
  readonly annotation: Annotation;
  /** Name of the run that ran in the workspace before. */
  readonly restartOf: string | undefined;
  readonly definition: RunDefinition;
  readonly failure: RunFailure | undefined;
  /** Undefined if the run cannot be drawn. */
  readonly graph: RunGraph | undefined;
  readonly totals: JobTotals;
  /** The declared inputs as they are now. Undefined after the workspace was removed. */
  readonly inputs: Results | undefined;
  readonly outputs: RunResults;
  readonly previews: ReadonlyMap<string, Preview>;
  readonly madeAtMs: number;
  /** Absolute path of the workspace, which commands contain. */
  readonly workspaceFolder: string;
}

export type AccountContext = Pick<
  WatchServices,
  "db" | "clock" | "workspaces" | "secrets" | "graphs" | "jobStateCache"
>;

/** Limits on what a report lists. Totals count everything. */
const LIMITS = { jobs: 200, steps: 200, images: 100 };
/** Limit on the time for checksums of inputs. Later files are listed without one. */
const HASHING_MAX_MS = 5000;

export async function accountOf(
  context: AccountContext,
  caller: Caller,
  address: string,
): Promise<RunAccount> {
  const { db, clock, workspaces } = context;
  const run = await findRun(context, caller, address, "see");
  const workspace = workspaces.of(run.workspaceId);
  const definition = await oneDefinition(db, run.id);
  const outputs = await runResults(db, run);
  const hasFiles = run.status !== "deleted";
  const before = await maybeRunBefore(db, run);
  const previews = hasFiles
    ? await previewsOf(workspace, outputs.results?.files ?? [])
    : new Map<string, Preview>();
  const account = {
    run,
    name: fullNameOf(run),
    owner: (await emailsOf(db, [run.ownerId])).get(run.ownerId) ?? run.ownerId,
    annotation: (await annotationsOf(db, [run.seq]))(run.seq),
    restartOf: before && fullNameOf(before),
    definition,
    failure: await maybeRunFailure(context, run),
    graph: await maybeGraph(context, caller, run),
    totals: await totalsOf(allJobs(db, run.id), LIMITS),
    inputs: hasFiles ? await inputsOf(context, run, definition) : undefined,
    outputs,
    previews: [...previews],
    madeAtMs: clock.now(),
    workspaceFolder: workspace.folder,
  };
  const safe = redacted(account, await redaction(context, run.ownerId)) as typeof account;
  return { ...safe, previews: new Map(safe.previews) };
}

/** Returns undefined if the language is unknown here, or documents of the workflow are missing. */
async function maybeGraph(context: AccountContext, caller: Caller, run: Run): Promise<RunGraph | undefined> {
  try {
    return await getGraph(context, caller, run.id);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function inputsOf(
  { clock, workspaces }: Pick<WatchServices, "clock" | "workspaces">,
  run: Run,
  { specification }: RunDefinition,
): Promise<Results> {
  const declared = declaredPaths(specification).inputs;
  const time = new AbortController();
  const callOff = clock.after(HASHING_MAX_MS, () => time.abort());
  try {
    return await workspaces.of(run.workspaceId).collectResults({ declared, earlier: [] }, time.signal);
  } finally {
    callOff();
  }
}
