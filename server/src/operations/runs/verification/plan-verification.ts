import type { Caller } from "#operations/context";
import { findRun } from "#operations/find-run";
import type { RunServices } from "#operations/runs/services";
import { jobsOfStep, lastAttempts } from "#operations/runs/verification/step/step-jobs";
import { stepRepetition } from "#operations/runs/verification/step/step-repetition";
import { mustBeVerifiable } from "#operations/runs/verification/verifiable";
import { maybeRunTookMs } from "#operations/watch/get-usage";
import { Refusal } from "#plumbing/errors";
import { duration } from "#plumbing/text/duration";
import { type JobRecord, jobsOfRun } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";
import { digestsIn } from "#workflow/capabilities";
import { UNKNOWN_DIGEST } from "#workflow/job/image-digest";

/** The cost of a verification of a run, and the obstacles. */
export interface VerificationPlan {
  readonly run: Run;
  /** Name of the only step that would be repeated. Null for the whole run. */
  readonly step: string | null;
  /** Why the run or the step cannot be verified. Null if it can. */
  readonly refusal: string | null;
  /** How long the run or the step took, and its jobs that ran. A repetition takes about as long. */
  readonly wallMs: number | null;
  readonly cpuMs: number;
  readonly jobs: number;
  /** The job that took longest. A step is repeated at most eight times to find a cause. */
  readonly longest: { readonly label: string; readonly wallMs: number } | null;
  /** The steps that took longest, each with the time of its jobs. A step can be verified alone. */
  readonly steps: readonly { readonly name: string; readonly wallMs: number }[];
  /** Sentences about what may make the repetition fail or differ. */
  readonly notes: readonly string[];
}

type PlanContext = Parameters<typeof stepRepetition>[0];

const STEPS_MAX = 20;

/** Estimates the cost of a verification. Changes nothing. */
export async function planVerification(
  context: PlanContext,
  caller: Caller,
  { address, step = null }: { readonly address: string; readonly step?: string | null | undefined },
  signal: AbortSignal,
): Promise<VerificationPlan> {
  const run = await findRun(context, caller, address, "see");
  const all = (await jobsOfRun(context.db, run.id)).filter(({ startedAtMs }) => startedAtMs !== null);
  const steps = totalsOf(all);
  const jobs = step === null ? all : lastAttempts(await jobsOfStep(context.db, run, step));
  const timed = jobs.map((job) => ({ label: job.label, wallMs: tookMs(job) }));
  const refusal = await maybeRefusal(() =>
    step === null
      ? mustBeVerifiable(context, run)
      : stepRepetition(context, caller, { verified: run, step }, signal),
  );
  return {
    run,
    step,
    refusal,
    wallMs: step === null ? (maybeRunTookMs(run) ?? null) : sum(jobs.map(tookMs)),
    cpuMs: step === null ? run.cpuMs : sum(jobs.map(({ cpuMs }) => cpuMs ?? 0)),
    jobs: jobs.length,
    longest: timed.toSorted((one, other) => other.wallMs - one.wallMs)[0] ?? null,
    steps: steps.slice(0, STEPS_MAX),
    notes: [...(await imageNotes(context, jobs)), ...takenOverNotes(jobs), NETWORK],
  };
}

function totalsOf(jobs: readonly JobRecord[]): VerificationPlan["steps"] {
  const named = Map.groupBy(
    jobs.filter(({ name }) => name !== ""),
    ({ name }) => name,
  );
  const totals = [...named].map(([name, own]) => ({ name, wallMs: sum(own.map(tookMs)) }));
  return totals.toSorted((one, other) => other.wallMs - one.wallMs);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

const NETWORK =
  "Whether a step reads from the network is not recorded: outputs of such a step may differ for this reason.";

function tookMs({ startedAtMs, finishedAtMs }: JobRecord): number {
  return Math.max(0, (finishedAtMs ?? 0) - (startedAtMs ?? 0));
}

async function maybeRefusal(check: () => Promise<unknown>): Promise<string | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/** Compares the images on the machine with the images that the jobs ran in. */
async function imageNotes(
  { capabilities }: Pick<RunServices, "capabilities">,
  jobs: readonly JobRecord[],
): Promise<string[]> {
  const digestOf = digestsIn(capabilities.backends);
  const used = new Map(
    jobs.map(({ image, imageDigest }) => [`${image} ${imageDigest}`, { image, imageDigest }]),
  );
  const notes = [...used.values()].map(async ({ image, imageDigest }) => {
    if (image === null || imageDigest === null) return [];
    const now = await digestOf({ image });
    if (now === imageDigest) return [];
    if (now === null || now === UNKNOWN_DIGEST)
      return [
        `The image ${image} is not on this machine: it is pulled first, and the repetition fails if it is gone.`,
      ];
    return [`The image ${image} is another one than in the run: ${now} instead of ${imageDigest}.`];
  });
  return (await Promise.all(notes)).flat();
}

function takenOverNotes(jobs: readonly JobRecord[]): string[] {
  const taken = jobs.filter(({ takenFrom }) => takenFrom !== null);
  if (taken.length === 0) return [];
  const longMs = sum(taken.map(tookMs));
  return [
    `${taken.length} of the jobs were taken over from an earlier run. A repetition runs them as well (${duration(longMs)}).`,
  ];
}
