import type { Caller } from "#operations/context";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { createRerun } from "#operations/runs/start/create-rerun";
import type { StartedRun } from "#operations/runs/start/start-run";
import { optionsToRepeat, type RepetitionStart } from "#operations/runs/verification/repetition-start";
import { stepRepetition } from "#operations/runs/verification/step/step-repetition";
import { mustBeVerifiable } from "#operations/runs/verification/verifiable";
import { TOLERANCE } from "#plumbing/equivalence/equivalence";
import { Refusal } from "#plumbing/errors";
import { amountOfTime, duration } from "#plumbing/text/duration";
import { maybeRunTookMs } from "#operations/watch/get-usage";
import { jobsOfStep, lastAttempts } from "#operations/runs/verification/step/step-jobs";
import { maybeTookMs } from "#workflow/job/job";
import { setNote } from "#store/runs/run-notes";
import type { Run } from "#store/runs/runs";
import { insertVerification } from "#store/runs/verifications";

type VerificationContext = Parameters<typeof createRerun>[0] & Parameters<typeof stepRepetition>[0];

export interface StartedVerification {
  readonly verified: Run;
  readonly repetition: StartedRun;
}

export interface NewVerificationInput {
  readonly address: string;
  /** Name of the only step that is repeated. Null for the whole run. */
  readonly step?: string | null | undefined;
  readonly tolerance?: number | undefined;
  /** Refuses if the original took longer. Default: no limit. */
  readonly maxMs?: number | undefined;
}

/**
 * Runs a finished run or one of its steps again from its recorded specification, parameters and inputs, in a workspace of
 * its own, to compare the outputs. The repetition is an ordinary run with a note that names the original.
 */
export async function startVerification(
  context: VerificationContext,
  caller: Caller,
  { address, step = null, tolerance = TOLERANCE, maxMs = Infinity }: NewVerificationInput,
  signal: AbortSignal,
): Promise<StartedVerification> {
  const verified = await findRun(context, caller, address, "change");
  const name = fullNameOf(verified);
  await mustBeWithin(context, { verified, step }, maxMs);
  const { input, extras } =
    step === null
      ? await wholeRepetition(context, verified)
      : await stepRepetition(context, caller, { verified, step }, signal);
  const repetition = await createRerun(context, caller, input, signal, {
    ...extras,
    async recordMore(connection, run) {
      await insertVerification(connection, { runId: run.id, verifiedId: verified.id, step, tolerance });
      const what = step === null ? name : `the step ${step} of ${name}`;
      await setNote(connection, run.seq, `Repeats ${what} to verify its outputs.`);
    },
  });
  return { verified, repetition };
}

async function wholeRepetition(context: VerificationContext, verified: Run): Promise<RepetitionStart> {
  const { definition, isLeftOut } = await mustBeVerifiable(context, verified);
  const input = {
    address: verified.id,
    document: undefined,
    parameters: definition.inputParameters,
    options: optionsToRepeat(definition),
    fresh: true,
    fromStep: null,
  };
  return { input, extras: { isLeftOut, leavesOutEmptyFolders: true } };
}

/** Refuses if the run or the step took longer than the budget. */
async function mustBeWithin(
  { db }: VerificationContext,
  { verified, step }: { readonly verified: Run; readonly step: string | null },
  maxMs: number,
): Promise<void> {
  const jobs = step === null ? [] : lastAttempts(await jobsOfStep(db, verified, step));
  const stepMs = jobs.reduce((sum, job) => sum + (maybeTookMs(job) ?? 0), 0);
  const tookMs = step === null ? (maybeRunTookMs(verified) ?? 0) : stepMs;
  if (tookMs <= maxMs) return;
  const [what, instead] =
    step === null
      ? [fullNameOf(verified), "Verify one of its steps, or raise the budget."]
      : [`the step ${step} of ${fullNameOf(verified)}`, "Raise the budget."];
  throw new Refusal(
    "conflict",
    `A verification of ${what} does not fit into ${amountOfTime(maxMs)}, because it took ${duration(tookMs)}. ${instead}`,
  );
}
