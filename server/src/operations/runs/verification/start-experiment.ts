import type { Caller } from "#operations/context";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { createRerun } from "#operations/runs/start/create-rerun";
import { undeclaredOf } from "#operations/runs/verification/cause/changed-inputs";
import type { CauseSearch } from "#operations/runs/verification/cause/find-cause";
import {
  issuedCommand,
  type RepeatedCommand,
  serialCommand,
} from "#operations/runs/verification/cause/issued-command";
import { maybeIssued } from "#operations/runs/verification/cause/issued-job";
import type { Undeclared } from "#operations/runs/verification/cause/step-reads";
import { REPETITIONS_FOLDER, repetitionScript } from "#operations/runs/verification/cause/repetition-script";
import {
  getVerification,
  type RunVerification,
  type VerificationInput,
} from "#operations/runs/verification/get-verification";
import { Refusal } from "#plumbing/errors";
import { counted } from "#plumbing/text/counted";
import { setNote } from "#store/runs/run-notes";
import { oneDefinition, type Run } from "#store/runs/runs";
import { experimentsOf, insertExperiment } from "#store/runs/verifications";
import type { Repeated } from "#workflow/run/conditions";
import type { Specification } from "#workflow/specification/specification";

type ExperimentContext = Parameters<typeof createRerun>[0];

/** A step may take ten times as long as before, and at least a minute. */
const SLOWER = 10;
const TIME_LIMIT_MIN_S = 60;

/**
 * Starts the next repetitions of the first step that differs, each under other conditions, to find the cause of the
 * difference. They are the steps of one ordinary run, after the steps before them.
 */
export async function startExperiment(
  context: ExperimentContext,
  caller: Caller,
  asked: VerificationInput,
  signal: AbortSignal,
): Promise<Run> {
  const verification = await getVerification(context, caller, asked, signal);
  const { repetition, tolerance, cause } = verification;
  if (!cause || cause.next.kind !== "repeat") throw nothingToRepeat(verification);
  if (cause.live) throw stillLive(cause.live);
  const base = await findRun(context, caller, verification.base.id, "change");
  const name = fullNameOf(base);
  const first = cause.repetitions.length + 1;
  const repeated = cause.next.varied.map((varied, index) => ({ number: first + index, varied }));
  const input = { address: base.id, options: {}, fresh: false, fromStep: null };
  const undeclared = await undeclaredOf(context, verification, signal);
  const experiment = await experimentOn(context, { base, cause, repeated, undeclared }, signal);
  return createRerun(context, caller, { ...input, ...experiment }, signal, {
    keepsResults: base.language !== "serial",
    async recordMore(connection, run) {
      // The workspace of the base is locked, so that no second request records the same repetitions.
      const others = await experimentsOf(connection, repetition.id);
      if (others.length > cause.experiments) throw stillLive(others.at(-1)!.run);
      await insertExperiment(connection, {
        runId: run.id,
        verifiedId: repetition.id,
        tolerance,
        repeated,
      });
      const many = counted(repeated.length, "time");
      await setNote(
        connection,
        run.seq,
        `Repeats the step ${cause.job.label} of ${name} ${many}, to find why it differs.`,
      );
    },
  });
}

/** Specification and parameters of an experiment. */
interface ExperimentInput {
  readonly document: object;
  readonly parameters: Readonly<Record<string, unknown>>;
}

async function experimentOn(
  context: ExperimentContext,
  round: Round,
  signal: AbortSignal,
): Promise<ExperimentInput> {
  const { base, cause } = round;
  const { specification, inputParameters } = await oneDefinition(context.db, base.id);
  if (base.language === "serial") {
    const command = serialCommand(cause.job.command);
    const commands = commandsFor(round, command);
    return { document: serialExperiment(specification, cause, commands), parameters: inputParameters };
  }
  const issued = await maybeIssued(context, base, cause.job, signal);
  if (!issued) throw new Error(`The job ${cause.job.key} of ${base.id} is not issued again.`);
  const commands = commandsFor(round, issuedCommand(issued, cause.files));
  const steps = commands.map((step) => ({ environment: issued.job.image ?? "", ...step }));
  return { document: documentOf({ inputs: {} }, steps), parameters: {} };
}

/** Repetitions of a step that are carried out together. */
interface Round {
  readonly base: Run;
  readonly cause: CauseSearch;
  readonly repeated: readonly Repeated[];
  readonly undeclared: Undeclared;
}

function commandsFor(
  { base, cause: { job, files, otherImage }, repeated, undeclared }: Round,
  command: RepeatedCommand,
) {
  const tookMs = (job.finishedAtMs ?? 0) - (job.startedAtMs ?? 0);
  const timeLimitSeconds = Math.max(TIME_LIMIT_MIN_S, Math.ceil((tookMs * SLOWER) / 1000));
  return repeated.map((order) => {
    const mark = base.id.slice(0, 8);
    const script = repetitionScript({ ...order, command, files, mark, timeLimitSeconds, undeclared });
    return {
      name: `repetition-${order.number}`,
      commands: [script.replaceAll("$", "$$$$")],
      ...(order.varied.includes("image") && { environment: otherImage }),
    };
  });
}

/** Returns the specification of the steps before the differing command, and of the repetitions of this command. */
function serialExperiment(
  specification: Specification,
  { job }: CauseSearch,
  repetitions: readonly object[],
): object {
  const { steps } = specification.workflow.specification as { steps: readonly SerialStep[] };
  const [stepIndex, commandIndex] = job.key.split(".").map(Number) as [number, number];
  const step = steps[stepIndex]!;
  const { kubernetes_job_timeout: _timeout, ...settings } = step;
  const before = commandIndex === 0 ? [] : [{ ...step, commands: step.commands.slice(0, commandIndex) }];
  const repeated = repetitions.map((one) => ({ ...settings, ...one }));
  return documentOf(specification, [...steps.slice(0, stepIndex), ...before, ...repeated]);
}

function documentOf(specification: object, steps: readonly object[]): object {
  return {
    ...specification,
    workflow: { type: "serial", specification: { steps } },
    outputs: { directories: [REPETITIONS_FOLDER] },
  };
}

interface SerialStep {
  readonly commands: readonly string[];
  readonly [key: string]: unknown;
}

function nothingToRepeat({ verified, state, cause }: RunVerification): Refusal {
  const why =
    cause !== undefined
      ? "the repetitions have come to a result"
      : state === "different"
        ? "no single serial step is known to be the first that differs"
        : `the verification is ${state}`;
  return new Refusal(
    "conflict",
    `No step of ${fullNameOf(verified)} can be repeated to find a cause, because ${why}.`,
  );
}

function stillLive(run: Run): Refusal {
  return new Refusal(
    "conflict",
    `The repetitions of ${fullNameOf(run)} have not ended: wait for them, and ask again.`,
    { errorCode: "workspace-busy" },
  );
}
