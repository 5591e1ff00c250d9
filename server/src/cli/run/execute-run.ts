import type { InputFile } from "#cli/run/analysis/collect-inputs";
import type { Display } from "#cli/run/display/display";
import { follow } from "#cli/run/follow";
import { jobOutput } from "#cli/run/display/job-output";
import {
  type CreatedRun,
  type RunView,
  type RunService,
  type StartValues,
} from "#cli/run/service/run-service";
import { whileWaiting } from "#cli/connection/while-waiting";
import type { Clock } from "#plumbing/clock";
import { printable } from "#plumbing/text/printable";
import { isOver } from "#workflow/run/run-status";

/** Creates a run and prepares its start. */
export interface RunRequest {
  create(service: RunService): Promise<CreatedRun>;
  /**
   * Returns the inputs and parameters. Called after `create`, because the specification at a Git address is known only
   * then.
   */
  prepare(service: RunService, run: CreatedRun): Promise<Prepared>;
}

export interface Prepared extends StartValues {
  readonly inputs: readonly InputFile[];
}

export interface RunSession {
  readonly service: RunService;
  readonly clock: Clock;
  /** Aborted to stop the run. */
  readonly signal: AbortSignal;
  /** True if the output of the jobs is shown. */
  readonly isVerbose: boolean;
}

export interface Outcome {
  readonly run: CreatedRun;
  /** finished, failed or stopped; deleted if another client deleted the run. */
  readonly status: string;
  /** Milliseconds from its start to its end, as in `list`. The time in the queue does not count. */
  readonly tookMs: number;
}

/** Receives the steps of creating and starting a run. */
export interface StartHooks extends Pick<Display, "transfer"> {
  created(run: CreatedRun): void;
  started(run: CreatedRun): void;
  /** Shows a warning about the start. */
  say?(sentence: string): void;
}

const WARNING_LENGTH = 500;

/** Creates a run with its inputs and starts it. A run that cannot be started is removed. */
export async function startRun(
  { service, signal }: RunSession,
  request: RunRequest,
  hooks: StartHooks,
): Promise<CreatedRun> {
  signal.throwIfAborted();
  const run = await request.create(service);
  hooks.created(run);
  try {
    const { inputs, ...values } = await request.prepare(service, run);
    await copyInputs({ service, signal }, run, inputs, hooks);
    signal.throwIfAborted();
    const warning = await service.start(run.id, values);
    hooks.started(run);
    if (warning !== undefined) hooks.say?.(`Warning: ${printable(warning, WARNING_LENGTH)}`);
    return run;
  } catch (error) {
    await service.discard(run.id);
    throw error;
  }
}

async function copyInputs(
  { service, signal }: Pick<RunSession, "service" | "signal">,
  run: CreatedRun,
  inputs: readonly InputFile[],
  { transfer }: Pick<Display, "transfer">,
): Promise<void> {
  const bytes = inputs.reduce((sum, input) => sum + input.bytes, 0);
  const progress = transfer({ verb: "Copied", noun: "inputs", files: inputs.length, bytes });
  try {
    const { bytes: onBytes, checked: onChecked, file: onFile } = progress;
    await service.upload(run.id, inputs, { signal, onBytes, onChecked, onFile });
  } finally {
    progress.end();
  }
}

/** Watches a started run until it has ended. */
export async function waitForEnd(session: RunSession, run: CreatedRun, watcher: Watcher): Promise<Outcome> {
  const { status, tookMs = 0 } = await followToEnd(session, run, watcher);
  return { run, status, tookMs };
}

type Watcher = Pick<Display, "onEvents" | "printed">;

async function followToEnd(
  { service, clock, signal, isVerbose }: RunSession,
  run: CreatedRun,
  { onEvents, printed }: Watcher,
): Promise<RunView> {
  const runId = run.id;
  const { promise: stopFailed, reject } = Promise.withResolvers<never>();
  const stop = () => void stopUnlessOver(service, runId).catch(reject);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const leaving = new AbortController();
  const output = isVerbose ? jobOutput(service, runId, printed) : undefined;
  const followed = follow({ service, clock, left: leaving.signal, onEvents, output }, runId);
  try {
    return await whileWaiting(
      () => run.name,
      () => Promise.race([followed, stopFailed]),
    );
  } finally {
    signal.removeEventListener("abort", stop);
    leaving.abort();
  }
}

/** Stops a run, unless it ended by itself before the request arrived. */
async function stopUnlessOver(service: RunService, runId: string): Promise<void> {
  try {
    await service.stop(runId);
  } catch (error) {
    const { status } = await service.view(runId);
    if (!isOver(status)) throw error;
  }
}
