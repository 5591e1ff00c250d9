import type { Caller } from "#operations/context";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import type { RunServices } from "#operations/runs/services";
import { canRepeat } from "#operations/runs/verification/cause/issued-command";
import { maybeIssued } from "#operations/runs/verification/cause/issued-job";
import { type CauseSearch, causeOf } from "#operations/runs/verification/cause/find-cause";
import {
  type ComparedRuns,
  type FoundDifference,
  maybeFirstDifference,
} from "#operations/runs/verification/first-difference";
import {
  type JudgedOutput,
  judgeOutputs,
  OUTPUT_VERDICTS,
} from "#operations/runs/verification/judge-outputs";
import { isInPlace, stepDifference, stepResults } from "#operations/runs/verification/step/step-results";
import { keptVerdict } from "#operations/runs/verification/kept-verdict";
import { maybeRunTookMs } from "#operations/watch/get-usage";
import { runResults } from "#operations/watch/run-results";
import { Refusal } from "#plumbing/errors";
import type { Connection } from "#store/database/database";
import { type JobRecord, jobsOfRun } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";
import { maybeVerification } from "#store/runs/verifications";
import { digestsIn } from "#workflow/capabilities";
import { isLive } from "#workflow/run/run-status";

/** States of a verification. `not-repeated`: the repetition failed or was stopped. */
export const VERIFICATION_STATES = ["running", "not-repeated", ...OUTPUT_VERDICTS] as const;
export type VerificationState = (typeof VERIFICATION_STATES)[number];

/** The first step whose files differ between a run and its repetition. */
export interface FirstDifference extends Omit<FoundDifference, "jobIds"> {
  /** Jobs of the base. Several if each of them may have made the first difference. */
  readonly jobs: readonly JobRecord[];
}

export interface RunVerification {
  readonly verified: Run;
  readonly repetition: Run;
  /** Name of the only step that was repeated. Null if the whole run was. */
  readonly step: string | null;
  /** Run whose jobs are repeated to find a cause. */
  readonly base: Run;
  readonly state: VerificationState;
  readonly tolerance: number;
  /** Outputs with the heaviest verdicts first. Empty until the repetition has finished. */
  readonly outputs: readonly JudgedOutput[];
  /** True if not all outputs of both runs were recorded. */
  readonly isCut: boolean;
  /** Undefined if no output differs, or no step is known to have made a difference. */
  readonly firstDifference: FirstDifference | undefined;
  /** Search for the cause of the first difference. Undefined unless a single step differs. */
  readonly cause: CauseSearch | undefined;
}

/** Limit on the repetitions of one step. */
export const REPETITIONS_MAX = 8;

export interface VerificationInput {
  readonly address: string;
  readonly tolerance?: number | undefined;
  readonly maxRepetitions?: number | undefined;
  /** Budget for the repetition and the search for the cause together. Default: no limit. */
  readonly maxMs?: number | undefined;
}

type VerificationContext = Pick<RunServices, "db" | "clock" | "workspaces" | "engines" | "capabilities">;

/** Returns the verdicts about a run and its newest repetition. The address may be that of either. */
export async function getVerification(
  context: VerificationContext,
  caller: Caller,
  { address, tolerance: asked, maxRepetitions = REPETITIONS_MAX, maxMs = Infinity }: VerificationInput,
  signal: AbortSignal,
): Promise<RunVerification> {
  const run = await findRun(context, caller, address, "see");
  const verification = await maybeVerification(context.db, run.id);
  if (!verification) throw notVerified(run);
  const verified = await findRun(context, caller, verification.verifiedId, "see");
  const repetition = await findRun(context, caller, verification.runId, "see");
  const tolerance = asked ?? verification.tolerance;
  const { step } = verification;
  const base = isInPlace({ verified, repetition }) ? verified : repetition;
  const runs = { verified, repetition, step, base, tolerance };
  const without = { ...runs, outputs: [], isCut: false, firstDifference: undefined, cause: undefined };
  if (isLive(repetition.status)) return { ...without, state: "running" };
  const verdict = await keptVerdict(context.db, verification, asked, () =>
    maybeVerdict(context, runs, signal),
  );
  if (!verdict) return { ...without, state: "not-repeated" };
  const { outputs, isCut, difference } = verdict;
  const state = outputs[0]?.verdict ?? "unknown";
  const jobs = difference ? await jobsWithIds(context.db, base, difference.jobIds) : [];
  const firstDifference = difference && { ...difference, jobs };
  const { files = [] } = difference ?? {};
  const search = {
    repetition,
    jobs,
    files,
    isRepeatable: verdict.isRepeatable,
    otherImage: verdict.otherImage,
    tolerance,
    maxRepetitions,
    maxMs: maxMs - (maybeRunTookMs(repetition) ?? 0),
  };
  const cause = await causeOf(context, search, signal);
  return { ...runs, outputs, isCut, state, firstDifference, cause };
}

interface RepeatedRuns extends ComparedRuns, Pick<RunVerification, "step" | "base"> {}

/** The stored part of a repetition. The verdict holds when files are replaced or removed later. */
interface Verdict extends Pick<RunVerification, "outputs" | "isCut"> {
  readonly difference: FoundDifference | undefined;
  /** True if the differing step can be repeated alone. */
  readonly isRepeatable: boolean;
  /** Name by digest of the image in which the differing step ran before. Undefined unless another image on this machine. */
  readonly otherImage?: string | undefined;
}

/** Compares the outputs. Undefined if the repetition did not finish, or outputs were not recorded. */
async function maybeVerdict(
  context: VerificationContext,
  runs: RepeatedRuns,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const { verified, repetition, step, base } = runs;
  if (repetition.status === "failed" || repetition.status === "stopped") return undefined;
  const ofStep = step === null ? undefined : await stepResults(context, runs, step, signal);
  const { results, repeatedResults } = ofStep ?? {
    results: (await runResults(context.db, verified)).results,
    repeatedResults: (await runResults(context.db, repetition)).results,
  };
  if (!results || !repeatedResults) return undefined;
  const judged = await judgeOutputs(context, { ...runs, results, repeatedResults }, signal);
  const outputs = judged.toSorted((one, other) => weightOf(one) - weightOf(other));
  const differs = outputs[0]?.verdict === "different";
  const find = () =>
    ofStep && isInPlace(runs)
      ? stepDifference(context, repetition, ofStep, outputs)
      : maybeFirstDifference(context, runs, signal);
  const difference = differs ? await find() : undefined;
  const isRepeatable = difference !== undefined && (await canBeRepeated(context, base, difference, signal));
  const otherImage = difference?.hasOtherImage ? await maybeOtherImage(context, runs, difference) : undefined;
  return {
    outputs,
    isCut: results.isCut || repeatedResults.isCut,
    difference,
    isRepeatable,
    otherImage,
  };
}

async function canBeRepeated(
  context: VerificationContext,
  base: Run,
  { jobIds }: FoundDifference,
  signal: AbortSignal,
): Promise<boolean> {
  if (base.language === "serial") return true;
  const [job] = await jobsWithIds(context.db, base, jobIds);
  const issued = job && (await maybeIssued(context, base, job, signal));
  return issued !== undefined && canRepeat(issued.job);
}

/** Returns the image of the original job by its digest. Undefined if the image is not on this machine. */
async function maybeOtherImage(
  { db, capabilities }: VerificationContext,
  { verified, base }: RepeatedRuns,
  { jobIds }: FoundDifference,
): Promise<string | undefined> {
  const [job] = await jobsWithIds(db, base, jobIds);
  const original = (await jobsOfRun(db, verified.id)).findLast(({ key }) => key === job?.key);
  const { image = null, imageDigest: digest = null } = original ?? {};
  if (image === null || digest === null) return undefined;
  const byDigest = `${image.replace(/@.*$/, "")}@${digest}`;
  const here = await digestsIn(capabilities.backends)({ image: byDigest });
  return here === digest ? byDigest : undefined;
}

async function jobsWithIds(db: Connection, { id }: Run, ids: readonly string[]): Promise<JobRecord[]> {
  const wanted = new Set(ids);
  return (await jobsOfRun(db, id)).filter((job) => wanted.has(job.id));
}

function weightOf({ verdict }: JudgedOutput): number {
  return OUTPUT_VERDICTS.indexOf(verdict);
}

function notVerified(run: Run): Refusal {
  const name = fullNameOf(run);
  return new Refusal("absent", `Workflow ${name} has not been verified. Verify it: reprise verify ${name}.`);
}
