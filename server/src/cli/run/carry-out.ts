import type { InputFile } from "#cli/run/collect-inputs";
import type { Display } from "#cli/run/display";
import { follow } from "#cli/run/follow";
import { type CreatedRun, isOver, type RunLook, type RunService } from "#cli/run/run-service";
import type { Clock } from "#plumbing/clock";

/** One run, from nothing to its end. */
export interface Order {
  create(service: RunService): Promise<CreatedRun>;
  /** What it begins with. Asked when it has been created: the specification of a Git address is only known then. */
  prepare(service: RunService, run: CreatedRun): Promise<Prepared>;
}

export interface Prepared {
  readonly inputs: readonly InputFile[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Desk {
  readonly service: RunService;
  readonly clock: Clock;
  /** Aborted when the run is to be stopped. */
  readonly signal: AbortSignal;
}

export interface Outcome {
  readonly run: CreatedRun;
  /** finished, failed or stopped; deleted when somebody else did that. */
  readonly status: string;
  /** From its start until its end was seen. */
  readonly tookMs: number;
}

/** Who wants to know of each step on the way to a run. */
export interface Beginning {
  created(run: CreatedRun): void;
  copying?(inputs: readonly InputFile[]): void;
}

/** Creates it with its inputs and starts it. One that does not get as far as its start leaves nothing. */
export async function begin({ service, signal }: Desk, order: Order, tell: Beginning): Promise<CreatedRun> {
  signal.throwIfAborted();
  const run = await order.create(service);
  tell.created(run);
  try {
    const { inputs, parameters } = await order.prepare(service, run);
    tell.copying?.(inputs);
    await service.upload(run.id, inputs, { signal, onBytes: () => undefined, onFile: () => undefined });
    signal.throwIfAborted();
    await service.start(run.id, parameters);
    return run;
  } catch (error) {
    await service.discard(run.id);
    throw error;
  }
}

/** Sees one that was begun to its end. */
export async function seeToItsEnd(desk: Desk, run: CreatedRun, tell: Display["happened"]): Promise<Outcome> {
  const startedAtMs = desk.clock.elapsedMs();
  const { status } = await untilOver(desk, run.id, tell);
  return { run, status, tookMs: desk.clock.elapsedMs() - startedAtMs };
}

async function untilOver(
  { service, clock, signal }: Desk,
  runId: string,
  tell: Display["happened"],
): Promise<RunLook> {
  const { promise: stopFailed, reject } = Promise.withResolvers<never>();
  const stop = () => void stopUnlessOver(service, runId).catch(reject);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const leaving = new AbortController();
  const followed = follow({ service, clock, left: leaving.signal, tell }, runId);
  try {
    return await Promise.race([followed, stopFailed]);
  } finally {
    signal.removeEventListener("abort", stop);
    leaving.abort();
  }
}

/** It may have come to its own end before it was asked. */
async function stopUnlessOver(service: RunService, runId: string): Promise<void> {
  try {
    await service.stop(runId);
  } catch (error) {
    const { status } = await service.look(runId);
    if (!isOver(status)) throw error;
  }
}
