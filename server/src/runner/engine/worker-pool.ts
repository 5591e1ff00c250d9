import type { Call } from "#runner/engine/worker-messages";
import { SessionLost } from "#runner/engine/engine-runtime";
import {
  type EngineProcess,
  type EngineSessionId,
  startEngineProcess,
  type WorkerLimits,
} from "#runner/engine/worker-process";

/**
 * The processes of one engine. A process is started when a run needs one, and ended after it has been idle
 * for a while.
 */
export interface WorkerPool {
  /** Gives a run a place in the least busy process for its user. */
  take(taker: Taker): WorkerPlace;
  /** Returns the ids of runs whose calls wait while a process works for another run. */
  waitingRuns(): readonly string[];
}

type Taker = Omit<EngineSessionId, "number">;

/** The place of one run in a process. */
export interface WorkerPlace {
  call(call: Call): Promise<unknown>;
  /**
   * Releases the place, with the session of the run. Calls that have not begun reject. If the process works on a call
   * and no other run has a place in it, the process is ended.
   */
  leave(): void;
}

interface PoolOptions extends WorkerLimits {
  /** Maximum number of processes for the runs of one user. */
  readonly maxWorkers: number;
  /** Maximum number of processes. Beyond it, users share processes and take turns. */
  readonly maxWorkersOfAll: number;
  readonly idleMs: number;
}

interface Worker {
  readonly process: EngineProcess;
  /** The user of each run with a place. */
  readonly owners: string[];
  /** Ends the process, while no run has a place in it. */
  idle?: NodeJS.Timeout;
}

/**
 * A process holds runs of one user, as long as there are fewer than `maxWorkersOfAll`: a call may compute for a minute
 * and cannot be interrupted, so the run of another user would wait behind it. The system shares the processors among
 * the processes.
 */
export function createWorkerPool(
  module: URL,
  { maxWorkers, maxWorkersOfAll, idleMs, ...limits }: PoolOptions,
): WorkerPool {
  let workers: readonly Worker[] = [];
  let lastSession = 0;

  /**
   * Prefers an unused or new process, up to the limits, to a shared one: a run alone in its process disturbs
   * no other run.
   */
  function leastBusyFor(ownerId: string): Worker {
    workers = workers.filter(({ process }) => process.isAlive());
    const used = workers.filter(({ owners }) => owners.length > 0);
    const own = used.filter(({ owners }) => owners.every((one) => one === ownerId));
    if (own.length >= maxWorkers) return leastBusyOf(own);
    const unused = workers.find(({ owners }) => owners.length === 0);
    if (unused) return unused;
    if (workers.length < maxWorkersOfAll) return start();
    return leastBusyOf(own.length > 0 ? own : workers);
  }

  function start(): Worker {
    const started: Worker = { process: startEngineProcess(module, limits), owners: [] };
    workers = [...workers, started];
    return started;
  }

  function leave(worker: Worker, session: EngineSessionId): void {
    const { process, owners } = worker;
    owners.splice(owners.indexOf(session.ownerId), 1);
    process.drop(session);
    if (owners.length === 0 && process.isComputing()) return process.end();
    // If the process ends before the reply, the session ends too.
    process.call(session, { name: "close" }).catch(() => undefined);
    if (owners.length === 0) worker.idle = setTimeout(() => process.end(), idleMs).unref();
  }

  return {
    take(taker) {
      const worker = leastBusyFor(taker.ownerId);
      clearTimeout(worker.idle);
      worker.owners.push(taker.ownerId);
      lastSession += 1;
      const session: EngineSessionId = { number: lastSession, ...taker };
      let isLeft = false;
      return {
        call: (call) => (isLeft ? Promise.reject(new SessionLost(LEFT)) : worker.process.call(session, call)),
        leave() {
          if (!isLeft) leave(worker, session);
          isLeft = true;
        },
      };
    },
    waitingRuns: () => workers.flatMap(({ process }) => process.waitingRuns()),
  };
}

const LEFT = "The run has left its process of the workflow engine.";

function leastBusyOf(workers: readonly Worker[]): Worker {
  return workers.toSorted((one, other) => busynessOf(one) - busynessOf(other))[0]!;
}

/** Waiting calls count most, because they are present work. A run with a place is future work. */
function busynessOf({ process, owners }: Worker): number {
  return process.waitingCount() * 1000 + owners.length;
}
