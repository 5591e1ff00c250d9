import type { Caller } from "#operations/context";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { createRerun } from "#operations/runs/start/create-rerun";
import type { CauseSearch } from "#operations/runs/verification/cause/find-cause";
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
  const { repetition, cause } = verification;
  const name = fullNameOf(repetition);
  if (!cause || cause.next.kind !== "repeat") throw nothingToRepeat(verification);
  if (cause.live) throw stillLive(cause.live);
  const base = await findRun(context, caller, repetition.id, "change");
  const { specification, inputParameters } = await oneDefinition(context.db, base.id);
  const first = cause.repetitions.length + 1;
  const repeated = cause.next.varied.map((varied, index) => ({ number: first + index, varied }));
  const input = {
    address: base.id,
    document: experimentOf(specification, cause, repeated, base),
    parameters: inputParameters,
    options: {},
    fresh: false,
    fromStep: null,
  };
  return createRerun(context, caller, input, signal, {
    async recordMore(connection, run) {
      // The workspace of the base is locked, so that no second request records the same repetitions.
      const others = await experimentsOf(connection, base.id);
      if (others.length > cause.experiments) throw stillLive(others.at(-1)!.run);
      await insertExperiment(connection, { runId: run.id, verifiedId: base.id, repeated });
      const many = counted(repeated.length, "time");
      await setNote(
        connection,
        run.seq,
        `Repeats the step ${cause.job.label} of ${name} ${many}, to find why it differs.`,
      );
    },
  });
}

/** Returns the specification of the steps before the differing command, and of the repetitions of this command. */
function experimentOf(
  specification: Specification,
  { job, files }: CauseSearch,
  repeated: readonly Repeated[],
  base: Run,
): object {
  const { steps } = specification.workflow.specification as { steps: readonly SerialStep[] };
  const [stepIndex, commandIndex] = job.key.split(".").map(Number) as [number, number];
  const step = steps[stepIndex]!;
  const tookMs = (job.finishedAtMs ?? 0) - (job.startedAtMs ?? 0);
  const timeLimitSeconds = Math.max(TIME_LIMIT_MIN_S, Math.ceil((tookMs * SLOWER) / 1000));
  const commandOf = (order: Repeated) => {
    const mark = base.id.slice(0, 8);
    const script = repetitionScript({ ...order, command: job.command, files, mark, timeLimitSeconds });
    return script.replaceAll("$", "$$$$");
  };
  const { kubernetes_job_timeout: _timeout, ...settings } = step;
  const before = commandIndex === 0 ? [] : [{ ...step, commands: step.commands.slice(0, commandIndex) }];
  const repetitions = repeated.map((order) => ({
    ...settings,
    name: `repetition-${order.number}`,
    commands: [commandOf(order)],
  }));
  return {
    ...specification,
    workflow: {
      ...specification.workflow,
      specification: { steps: [...steps.slice(0, stepIndex), ...before, ...repetitions] },
    },
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
