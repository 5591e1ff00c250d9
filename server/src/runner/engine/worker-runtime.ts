import os from "node:os";
import type { EngineEvent, EngineInput, Instruction } from "#engines/engine";
import { askingBy, type Question } from "#runner/engine/engine-questions";
import { type EngineRuntime, type EngineSession, SessionLost } from "#runner/engine/engine-runtime";
import { createWorkerPool, type WorkerPlace, type WorkerPool } from "#runner/engine/worker-pool";
import type { WorkerLimits } from "#runner/engine/worker-process";
import type { Graph } from "#workflow/graph";

/**
 * Runs an engine in separate processes, so that no workflow blocks or ends the server. Several runs share a
 * process. If a run exceeds the limits on time or memory, its process is ended and the run fails; the other
 * runs of the process are resumed in another process.
 */
interface WorkerOptions extends Partial<WorkerLimits> {
  /** Exports `engine` and `evaluate`. */
  readonly module: URL;
  readonly maxWorkers?: number;
  readonly maxWorkersOfAll?: number;
  /** The time for which a process without runs is kept. */
  readonly idleMs?: number;
}

const MAX_WORKERS = Math.min(4, Math.max(2, os.availableParallelism()));
const DEFAULTS = {
  maxMemoryMb: 512,
  maxCallMs: 60_000,
  maxReplyChars: 50 * 2 ** 20,
  idleMs: 10_000,
  maxWorkers: MAX_WORKERS,
  maxWorkersOfAll: 4 * MAX_WORKERS,
};
/** Limit on the processor time of a question: a user is waiting for the answer. */
const QUESTION_MAX_MS = 10_000;
/** Maximum number of events in one call, for which the time limit is generous. */
const EVENTS_PER_CALL = 25;

export function workerRuntime({ module, ...options }: WorkerOptions): EngineRuntime {
  const limits = { ...DEFAULTS, ...options };
  const pool = createWorkerPool(module, limits);
  // A separate pool: a question about an unstarted run must not disturb runs.
  const maxCallMs = Math.min(limits.maxCallMs, QUESTION_MAX_MS);
  const forQuestions = createWorkerPool(module, {
    ...limits,
    maxCallMs,
    maxWorkers: 1,
    maxWorkersOfAll: limits.maxWorkers,
  });
  return {
    questionsOf: (ownerId) => askingBy((question) => answerTo(question, forQuestions, ownerId)),
    waitingRuns: () => pool.waitingRuns(),
    async open(input, { ownerId, signal } = { ownerId: "" }) {
      let usedMs = 0;
      const place = pool.take({ runId: input.run.id, ownerId, onUsed: (ms) => void (usedMs += ms) });
      const takeUsedMs = () => {
        const taken = usedMs;
        usedMs = 0;
        return taken;
      };
      signal?.addEventListener("abort", () => place.leave());
      try {
        return { ...(await openRemote(place, input)), takeUsedMs };
      } catch (error) {
        place.leave();
        throw error;
      }
    },
  };
}

async function answerTo(question: Question, pool: WorkerPool, ownerId: string): Promise<unknown> {
  for (;;) {
    const place = pool.take({ runId: "", ownerId });
    try {
      return await place.call({ name: "question", question });
    } catch (error) {
      // Another question has ended the process, and is not asked again.
      if (!(error instanceof SessionLost)) throw error;
    } finally {
      place.leave();
    }
  }
}

async function openRemote(
  place: WorkerPlace,
  input: EngineInput,
): Promise<Omit<EngineSession, "takeUsedMs">> {
  const { call } = place;
  const version = (await call({ name: "open", input })) as number;
  return {
    version,
    start: () => call({ name: "start" }) as Promise<readonly Instruction[]>,
    apply: (events) => applyAll(place, events),
    state: () => call({ name: "state" }) as Promise<string>,
    restore: async (state) => void (await call({ name: "restore", state })),
    graph: () => call({ name: "graph" }) as Promise<Graph>,
    close: async () => place.leave(),
  };
}

async function applyAll({ call }: WorkerPlace, events: readonly EngineEvent[]) {
  const answers: (readonly Instruction[])[] = [];
  for (let from = 0; from < events.length; from += EVENTS_PER_CALL) {
    const some = events.slice(from, from + EVENTS_PER_CALL);
    answers.push(...((await call({ name: "apply", events: some })) as (readonly Instruction[])[]));
  }
  return answers;
}
