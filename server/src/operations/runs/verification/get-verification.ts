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
import { keptVerdict } from "#operations/runs/verification/kept-verdict";
import { runResults } from "#operations/watch/run-results";
import { Refusal } from "#plumbing/errors";
import type { Connection } from "#store/database/database";
import { type JobRecord, jobsOfRun } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";
import { maybeVerification } from "#store/runs/verifications";
import { isLive } from "#workflow/run/run-status";

/** States of a verification. `not-repeated`: the repetition failed or was stopped. */
export const VERIFICATION_STATES = ["running", "not-repeated", ...OUTPUT_VERDICTS] as const;
export type VerificationState = (typeof VERIFICATION_STATES)[number];

/** The first step whose files differ between a run and its repetition. */
export interface FirstDifference extends Omit<FoundDifference, "jobIds"> {
  /** Jobs of the repetition. Several if each of them may have made the first difference. */
  readonly jobs: readonly JobRecord[];
}

export interface RunVerification {
  readonly verified: Run;
  readonly repetition: Run;
  readonly state: VerificationState;
  readonly tolerance: number;
  /** Outputs with the heaviest verdicts first. Empty until the repetition has finished. */
  readonly outputs: readonly JudgedOutput[];
  /** True if not all outputs of both runs were recorded. */
  readonly isCut: boolean;
  /** Undefined if no output differs, or no step is known to have made a difference. */
  readonly firstDifference: FirstDifference | undefined;
  /** Search for the cause of the first difference. Undefined unless a single serial step differs. */
  readonly cause: CauseSearch | undefined;
}

/** Limit on the repetitions of one step. */
export const REPETITIONS_MAX = 8;

export interface VerificationInput {
  readonly address: string;
  readonly tolerance?: number | undefined;
  readonly maxRepetitions?: number | undefined;
}

type VerificationContext = Pick<RunServices, "db" | "clock" | "workspaces" | "engines">;

/** Returns the verdicts about a run and its newest repetition. The address may be that of either. */
export async function getVerification(
  context: VerificationContext,
  caller: Caller,
  { address, tolerance: asked, maxRepetitions = REPETITIONS_MAX }: VerificationInput,
  signal: AbortSignal,
): Promise<RunVerification> {
  const run = await findRun(context, caller, address, "see");
  const verification = await maybeVerification(context.db, run.id);
  if (!verification) throw notVerified(run);
  const verified = await findRun(context, caller, verification.verifiedId, "see");
  const repetition = await findRun(context, caller, verification.runId, "see");
  const tolerance = asked ?? verification.tolerance;
  const runs = { verified, repetition, tolerance };
  const without = { ...runs, outputs: [], isCut: false, firstDifference: undefined, cause: undefined };
  if (isLive(repetition.status)) return { ...without, state: "running" };
  const verdict = await keptVerdict(context.db, verification, asked, () =>
    maybeVerdict(context, runs, signal),
  );
  if (!verdict) return { ...without, state: "not-repeated" };
  const { outputs, isCut, difference } = verdict;
  const state = outputs[0]?.verdict ?? "unknown";
  const jobs = difference ? await jobsWithIds(context.db, repetition, difference.jobIds) : [];
  const firstDifference = difference && { ...difference, jobs };
  const { files = [] } = difference ?? {};
  const search = { repetition, jobs, files, isRepeatable: verdict.isRepeatable, tolerance, maxRepetitions };
  const cause = await causeOf(context, search, signal);
  return { ...runs, outputs, isCut, state, firstDifference, cause };
}

/** The stored part of a repetition. The verdict holds when files are replaced or removed later. */
interface Verdict extends Pick<RunVerification, "outputs" | "isCut"> {
  readonly difference: FoundDifference | undefined;
  /** True if the differing step can be repeated alone. */
  readonly isRepeatable: boolean;
}

/** Compares the outputs. Undefined if the repetition did not finish, or outputs were not recorded. */
async function maybeVerdict(
  context: VerificationContext,
  runs: ComparedRuns,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const { verified, repetition } = runs;
  const { results } = await runResults(context.db, verified);
  const { results: repeatedResults } = await runResults(context.db, repetition);
  if (repetition.status === "failed" || repetition.status === "stopped" || !results || !repeatedResults)
    return undefined;
  const judged = await judgeOutputs(context, { ...runs, results, repeatedResults }, signal);
  const outputs = judged.toSorted((one, other) => weightOf(one) - weightOf(other));
  const differs = outputs[0]?.verdict === "different";
  const difference = differs ? await maybeFirstDifference(context, runs, signal) : undefined;
  const isRepeatable =
    difference !== undefined && (await canBeRepeated(context, repetition, difference, signal));
  return { outputs, isCut: results.isCut || repeatedResults.isCut, difference, isRepeatable };
}

async function canBeRepeated(
  context: VerificationContext,
  repetition: Run,
  { jobIds }: FoundDifference,
  signal: AbortSignal,
): Promise<boolean> {
  if (repetition.language === "serial") return true;
  const [job] = await jobsWithIds(context.db, repetition, jobIds);
  const issued = job && (await maybeIssued(context, repetition, job, signal));
  return issued !== undefined && canRepeat(issued.job);
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
