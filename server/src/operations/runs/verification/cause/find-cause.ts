import type { RunServices } from "#operations/runs/services";
import { likelyFor, tracesIn } from "#operations/runs/verification/cause/conditions";
import {
  excludedBy,
  type NextStep,
  nextStep,
  type Repetition,
} from "#operations/runs/verification/cause/plan-repetitions";
import { keptVerdict } from "#operations/runs/verification/kept-verdict";
import { REPETITIONS_FOLDER, STATE_FILE } from "#operations/runs/verification/cause/repetition-script";
import { Refusal } from "#plumbing/errors";
import type { JobRecord } from "#store/jobs/jobs";
import { resultsOfRuns } from "#store/runs/run-results";
import type { Run } from "#store/runs/runs";
import { type Experiment, experimentsOf } from "#store/runs/verifications";
import type { ResultFile } from "#workflow/run/results";
import { type Condition, CONDITIONS, type Repeated } from "#workflow/run/conditions";
import { maybeTookMs } from "#workflow/job/job";
import { isLive } from "#workflow/run/run-status";

/** The search for the cause of a difference, by repetitions of one step. */
export interface CauseSearch {
  readonly job: JobRecord;
  /** The files of the step that are compared. */
  readonly files: readonly string[];
  readonly repetitions: readonly Repetition[];
  readonly next: NextStep;
  /** Conditions, the most likely first. */
  readonly likely: readonly Condition[];
  readonly excluded: readonly Condition[];
  /** Conditions that could not be set where the step runs. */
  readonly notVaried: readonly Condition[];
  /** Number of the runs that have repeated the step. */
  readonly experiments: number;
  readonly otherImage: string | undefined;
  /** Run whose repetitions have not ended. */
  readonly live: Run | undefined;
}

/** Conditions that are missing mostly because the step reads nothing of the kind. */
const MAY_NOT_APPLY: ReadonlySet<Condition> = new Set(["image", "undeclared", "variables"]);

type CauseContext = Pick<RunServices, "db" | "workspaces">;

export interface CauseInput {
  readonly repetition: Run;
  /** Jobs of the first difference, and their differing files. */
  readonly jobs: readonly JobRecord[];
  readonly files: readonly string[];
  /** True if the job can be repeated alone. */
  readonly isRepeatable: boolean;
  /** Name by digest of the image in which the step ran before. Undefined unless another image on this machine. */
  readonly otherImage: string | undefined;
  readonly tolerance: number;
  readonly maxRepetitions: number;
  /** Time for repetitions that each take as long as the job took before. */
  readonly maxMs: number;
}

/** Returns the state of the search. Undefined if there is no single step to repeat. */
export async function causeOf(
  context: CauseContext,
  { repetition, jobs, files, isRepeatable, otherImage, tolerance, ...budget }: CauseInput,
  signal: AbortSignal,
): Promise<CauseSearch | undefined> {
  const [job, ...others] = jobs;
  if (!job || others.length > 0) return undefined;
  const experiments = await experimentsOf(context.db, repetition.id);
  const live = experiments.find(({ run }) => isLive(run.status))?.run;
  const ended = experiments.filter(({ run }) => !isLive(run.status));
  const observed = await observe(context, ended, tolerance, signal);
  const missing = new Set(observed.flatMap((one) => one.missing));
  if (otherImage === undefined) missing.add("image");
  const available = CONDITIONS.filter((condition) => !missing.has(condition));
  const traces = observed.flatMap((one) => one.traces);
  const likely = [...new Set([...traces, ...likelyFor(job.command, files)])].filter((one) =>
    available.includes(one),
  );
  const repetitions = observed.map(({ varied, sameAs, hasFailed }) => {
    return { varied: varied.filter((one) => available.includes(one)), sameAs, hasFailed };
  });
  const maxRepetitions = affordable(job, budget);
  const next: NextStep = isRepeatable
    ? nextStep({ repetitions, available, likely, maxRepetitions })
    : { kind: "unknown", why: "not-alone" };
  const excluded = excludedBy(repetitions);
  const state = {
    likely,
    excluded,
    notVaried: [...missing].filter((one) => !MAY_NOT_APPLY.has(one)),
    experiments: experiments.length,
    otherImage,
    live,
  };
  return { job, files, repetitions, next, ...state };
}

/** Returns the repetitions that both budgets allow. */
function affordable(job: JobRecord, budget: Pick<CauseInput, "maxRepetitions" | "maxMs">): number {
  const tookMs = Math.max(1, maybeTookMs(job) ?? 0);
  return Math.min(budget.maxRepetitions, Math.max(0, Math.floor(budget.maxMs / tookMs)));
}

interface Observed extends Repetition {
  readonly missing: readonly Condition[];
  readonly traces: readonly Condition[];
}

interface Place {
  readonly run: Run;
  readonly number: number;
  readonly files: readonly ResultFile[];
}

/** Looks at the kept files of each repetition, and compares them with the files of the earlier ones. */
async function observe(
  context: CauseContext,
  experiments: readonly Experiment[],
  tolerance: number,
  signal: AbortSignal,
): Promise<Observed[]> {
  const results = await resultsOfRuns(
    context.db,
    experiments.map(({ run }) => run.id),
  );
  const places = experiments.map(({ run, repeated }) =>
    repeated.map(({ number, varied }) => {
      return { run, number, varied, files: filesOf(results.get(run.id)?.files ?? [], number) };
    }),
  );
  const seen: Observed[] = [];
  for (const [index, experiment] of experiments.entries()) {
    const row = { ...experiment, runId: experiment.run.id };
    const earlier = places.slice(0, index).flat();
    const kept = await keptVerdict(context.db, row, tolerance, async () => {
      const each: Observed[] = [];
      for (const [at, place] of places[index]!.entries()) {
        const before = [...earlier, ...places[index]!.slice(0, at)];
        each.push(await observeOne(context, { before, seen: [...seen, ...each], place }, tolerance, signal));
      }
      return each;
    });
    seen.push(...kept!);
  }
  return seen;
}

interface Compared {
  /** Earlier repetitions, with what was seen in each. */
  readonly before: readonly Place[];
  readonly seen: readonly Observed[];
  readonly place: Place & Repeated;
}

/** Compares a repetition with the first one, then with the earlier repetitions that differ from the first. */
async function observeOne(
  context: CauseContext,
  { before, seen, place }: Compared,
  tolerance: number,
  signal: AbortSignal,
): Promise<Observed> {
  const { exitCode, missing } = await stateOf(context, place, signal);
  let sameAs = before.length;
  let traces: readonly Condition[] = [];
  for (const [index, earlier] of before.entries()) {
    if (seen[index]!.sameAs !== index) continue;
    const different = await differingFiles(context, earlier, place, tolerance, signal);
    if (index === 0 && different.length > 0) traces = await tracesOf(context, place, different, signal);
    if (different.length > 0) continue;
    sameAs = index;
    break;
  }
  return { varied: place.varied, sameAs, hasFailed: exitCode !== 0, missing, traces };
}

const folderOf = (number: number) => `${REPETITIONS_FOLDER}/${number}`;

/** Returns the kept files of a repetition, relative to the workspace as the step knows it. */
function filesOf(all: readonly ResultFile[], number: number): ResultFile[] {
  const prefix = `${folderOf(number)}/files/`;
  return all
    .filter(({ path }) => path.startsWith(prefix))
    .map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
}

const STATE_MAX_BYTES = 1000;

async function stateOf(
  { workspaces }: CauseContext,
  { run, number }: Place,
  signal: AbortSignal,
): Promise<{ readonly exitCode: number | undefined; readonly missing: readonly Condition[] }> {
  const file = `${folderOf(number)}/${STATE_FILE}`;
  const text = await maybeText({ workspaces }, run, file, STATE_MAX_BYTES, signal);
  const [code, ...missing] = (text ?? "").trim().split(" ");
  return {
    exitCode: /^\d+$/.test(code!) ? Number(code) : undefined,
    missing: CONDITIONS.filter((condition) => missing.includes(condition)),
  };
}

async function differingFiles(
  { workspaces }: CauseContext,
  first: Place,
  place: Place,
  tolerance: number,
  signal: AbortSignal,
): Promise<string[]> {
  const others = new Map(place.files.map((file) => [file.path, file]));
  const paths = [...new Set([...first.files, ...place.files].map(({ path }) => path))];
  const known = new Map(first.files.map((file) => [file.path, file]));
  const pairs = paths.flatMap((path) => {
    const [a, b] = [known.get(path), others.get(path)];
    return a && b && (a.sha256 === null || a.sha256 !== b.sha256) ? [{ path, a, b }] : [];
  });
  const sides = { a: sideOf(first), b: sideOf(place) };
  const verdicts = await workspaces.judge({ ...sides, pairs, tolerance }, signal);
  const isSame = new Map(pairs.map(({ path }, index) => [path, isEqual(verdicts[index]!.kind)]));
  return paths.filter((path) => !(known.has(path) && others.has(path) && isSame.get(path) !== false));
}

const isEqual = (kind: string) => kind === "identical" || kind === "equivalent";

function sideOf({ run, number }: Place) {
  return { workspaceId: run.workspaceId, below: `${folderOf(number)}/files` };
}

/** Traces are looked for in the beginning of the first differing files. */
const TRACED = { files: 3, bytes: 64 * 1024 };

async function tracesOf(
  context: CauseContext,
  { run, number }: Place,
  files: readonly string[],
  signal: AbortSignal,
): Promise<Condition[]> {
  const found: Condition[] = [];
  for (const file of files.slice(0, TRACED.files)) {
    const text = await maybeText(context, run, `${folderOf(number)}/files/${file}`, TRACED.bytes, signal);
    found.push(...tracesIn(text ?? ""));
  }
  return found;
}

async function maybeText(
  { workspaces }: Pick<CauseContext, "workspaces">,
  run: Run,
  file: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await workspaces.of(run.workspaceId).forRun(signal).read(file, maxBytes)).text;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
