import type { Caller } from "#operations/context";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import type { RunServices } from "#operations/runs/services";
import { type CauseSearch, causeOf } from "#operations/runs/verification/cause/find-cause";
import { type FirstDifference, maybeFirstDifference } from "#operations/runs/verification/first-difference";
import {
  type JudgedOutput,
  judgeOutputs,
  OUTPUT_VERDICTS,
} from "#operations/runs/verification/judge-outputs";
import { runResults } from "#operations/watch/run-results";
import { TOLERANCE } from "#plumbing/equivalence/equivalence";
import { Refusal } from "#plumbing/errors";
import type { Run } from "#store/runs/runs";
import { maybeVerification } from "#store/runs/verifications";
import { isLive } from "#workflow/run/run-status";

/** States of a verification. `not-repeated`: the repetition failed or was stopped. */
export const VERIFICATION_STATES = ["running", "not-repeated", ...OUTPUT_VERDICTS] as const;
export type VerificationState = (typeof VERIFICATION_STATES)[number];

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

type VerificationContext = Pick<RunServices, "db" | "clock" | "workspaces">;

/** Compares the outputs of a run with those of its newest repetition. The address may be that of either. */
export async function getVerification(
  context: VerificationContext,
  caller: Caller,
  { address, tolerance = TOLERANCE, maxRepetitions = REPETITIONS_MAX }: VerificationInput,
  signal: AbortSignal,
): Promise<RunVerification> {
  const run = await findRun(context, caller, address, "see");
  const verification = await maybeVerification(context.db, run.id);
  if (!verification) throw notVerified(run);
  const verified = await findRun(context, caller, verification.verifiedId, "see");
  const repetition = await findRun(context, caller, verification.runId, "see");
  const runs = { verified, repetition, tolerance };
  const without = { ...runs, outputs: [], isCut: false, firstDifference: undefined, cause: undefined };
  if (isLive(repetition.status)) return { ...without, state: "running" };
  const { results } = await runResults(context.db, verified);
  const { results: repeatedResults } = await runResults(context.db, repetition);
  if (repetition.status === "failed" || repetition.status === "stopped" || !results || !repeatedResults)
    return { ...without, state: "not-repeated" };
  const judged = await judgeOutputs(context, { ...runs, results, repeatedResults }, signal);
  const outputs = judged.toSorted((one, other) => weightOf(one) - weightOf(other));
  const state = outputs[0]?.verdict ?? "unknown";
  const isCut = results.isCut || repeatedResults.isCut;
  const firstDifference =
    state === "different" ? await maybeFirstDifference(context, runs, signal) : undefined;
  const { jobs = [], files = [] } = firstDifference ?? {};
  const cause = await causeOf(context, { repetition, jobs, files, tolerance, maxRepetitions }, signal);
  return { ...runs, outputs, isCut, state, firstDifference, cause };
}

function weightOf({ verdict }: JudgedOutput): number {
  return OUTPUT_VERDICTS.indexOf(verdict);
}

function notVerified(run: Run): Refusal {
  const name = fullNameOf(run);
  return new Refusal("absent", `Workflow ${name} has not been verified. Verify it: reprise verify ${name}.`);
}
