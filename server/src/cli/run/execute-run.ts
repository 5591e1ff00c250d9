import type { InputFile } from "#cli/run/analysis/collect-inputs";
import type { Display } from "#cli/run/display/display";
import { follow } from "#cli/run/follow";
import { jobOutput } from "#cli/run/display/job-output";
import { type CreatedRun, isOver, type RunLook, type RunService } from "#cli/run/service/run-service";
import { whileWaiting } from "#cli/connection/while-waiting";
import type { Clock } from "#plumbing/clock";

/** Creates a run and prepares its start. */
export interface Order {
  create(service: RunService): Promise<CreatedRun>;
  /**
   * Returns the inputs and parameters. Called after `create`, because the specification at a Git address is known only
   * then.
   */
  prepare(service: RunService, run: CreatedRun): Promise<Prepared>;
}

export interface Prepared {
  readonly inputs: readonly InputFile[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Desk {
  readonly service: RunService;
  readonly clock: Clock;
  /** Aborted to stop the run. */
  readonly signal: AbortSignal;
  /** Whether to show what the jobs print. */
  readonly isVerbose: boolean;
}

export interface Outcome {
  readonly run: CreatedRun;
  /** finished, failed or stopped; deleted if another client deleted the run. */
  readonly status: string;
  /** Milliseconds from its start until its end was seen. */
  readonly tookMs: number;
}

/** Receives the steps of creating and starting a run. */
export interface Beginning extends Pick<Display, "transfer"> {
  created(run: CreatedRun): void;
  started(run: CreatedRun): void;
}

/** Creates a run with its inputs and starts it. A run that cannot be started is removed. */
export async function begin({ service, signal }: Desk, order: Order, tell: Beginning): Promise<CreatedRun> {
  signal.throwIfAborted();
  const run = await order.create(service);
  tell.created(run);
  try {
    const { inputs, parameters } = await order.prepare(service, run);
    await copyInputs({ service, signal }, run, inputs, tell);
    signal.throwIfAborted();
    await service.start(run.id, parameters);
    tell.started(run);
    return run;
  } catch (error) {
    await service.discard(run.id);
    throw error;
  }
}

async function copyInputs(
  { service, signal }: Pick<Desk, "service" | "signal">,
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
export async function seeToItsEnd(desk: Desk, run: CreatedRun, watcher: Watcher): Promise<Outcome> {
  const startedAtMs = desk.clock.elapsedMs();
  const { status } = await untilOver(desk, run, watcher);
  return { run, status, tookMs: desk.clock.elapsedMs() - startedAtMs };
}

type Watcher = Pick<Display, "happened" | "printed">;

async function untilOver(
  { service, clock, signal, isVerbose }: Desk,
  run: CreatedRun,
  { happened: tell, printed }: Watcher,
): Promise<RunLook> {
  const runId = run.id;
  const { promise: stopFailed, reject } = Promise.withResolvers<never>();
  const stop = () => void stopUnlessOver(service, runId).catch(reject);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const leaving = new AbortController();
  const output = isVerbose ? jobOutput(service, runId, printed) : undefined;
  const followed = follow({ service, clock, left: leaving.signal, tell, output }, runId);
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
    const { status } = await service.look(runId);
    if (!isOver(status)) throw error;
  }
}
