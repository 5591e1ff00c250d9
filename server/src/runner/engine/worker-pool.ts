import type { Call } from "#runner/engine/worker-messages";
import { type EngineProcess, startEngineProcess, type WorkerLimits } from "#runner/engine/worker-process";

/** The processes of one engine. They are started as runs need them, and ended when no run has needed them for a while. */
export interface WorkerPool {
  /** Gives a run a place in the least busy process. */
  take(): Place;
}

/** The place of one run in a process. */
export interface Place {
  call(call: Call): Promise<unknown>;
  isAlive(): boolean;
  /** Releases the place. Later calls do nothing. */
  leave(): void;
}

interface PoolOptions extends WorkerLimits {
  readonly maxWorkers: number;
  readonly idleMs: number;
}

interface Worker {
  readonly process: EngineProcess;
  placeCount: number;
  /** Ends the process, while no run has a place in it. */
  idle?: NodeJS.Timeout;
}

export function createWorkerPool(module: URL, { maxWorkers, idleMs, ...limits }: PoolOptions): WorkerPool {
  let workers: readonly Worker[] = [];
  let lastSession = 0;

  /** Shares a process only if there are enough of them: a run that is alone in its process disturbs nobody. */
  function leastBusy(): Worker {
    workers = workers.filter(({ process }) => process.isAlive());
    const [best] = workers.toSorted((one, other) => busynessOf(one) - busynessOf(other));
    if (best && (best.placeCount === 0 || workers.length >= maxWorkers)) return best;
    const started = { process: startEngineProcess(module, limits), placeCount: 0 };
    workers = [...workers, started];
    return started;
  }

  function leave(worker: Worker): void {
    worker.placeCount -= 1;
    if (worker.placeCount === 0) worker.idle = setTimeout(() => worker.process.end(), idleMs).unref();
  }

  return {
    take() {
      const worker = leastBusy();
      clearTimeout(worker.idle);
      worker.placeCount += 1;
      lastSession += 1;
      const session = lastSession;
      let isLeft = false;
      return {
        call: (call) => worker.process.call(session, call),
        isAlive: () => worker.process.isAlive(),
        leave() {
          if (!isLeft) leave(worker);
          isLeft = true;
        },
      };
    },
  };
}

/** Calls that wait count most: they are work now. Runs with a place are work to come. */
function busynessOf({ process, placeCount }: Worker): number {
  return process.waitingCount() * 1000 + placeCount;
}
