import { maybeMemoryBytes } from "#workflow/job/memory-size";
import { type Faults, isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";

/** The Dask cluster of a run, from `workflow.resources.dask`. */
export interface DaskCluster {
  readonly image: string;
  readonly workers: number;
  readonly workerThreads: number;
  readonly workerMemoryBytes: number;
}

/** Defaults and limits of REANA. */
export const DASK_DEFAULTS = { workers: 2, threads: 4, memory: "2Gi" };
export const DASK_LIMITS = { workers: 20, threads: 8, memory: "8Gi", clusterMemory: "16Gi" };

/** Begins the keys of the jobs of a Dask cluster. No key of a step begins so. */
const KEY_PREFIX = "dask:";

/** Returns the key of a member of the cluster: `scheduler`, `worker-1` … */
export function clusterKey(member: string): string {
  return KEY_PREFIX + member;
}

/** The key of the scheduler. */
export const SCHEDULER_KEY = clusterKey("scheduler");

/** Returns whether a key belongs to a member of a cluster. */
export function isClusterKey(key: string): boolean {
  return key.startsWith(KEY_PREFIX);
}

/** Returns the Dask cluster that a specification asks for. */
export function maybeDask({ workflow }: Pick<Specification, "workflow">): DaskCluster | undefined {
  const { resources } = workflow;
  return isObject(resources) && isObject(resources.dask) ? clusterOf(resources.dask) : undefined;
}

function clusterOf(declared: Readonly<Record<string, unknown>>): DaskCluster {
  const {
    image,
    number_of_workers: workers = DASK_DEFAULTS.workers,
    single_worker_threads: threads = DASK_DEFAULTS.threads,
    single_worker_memory: memory = DASK_DEFAULTS.memory,
  } = declared;
  return {
    image: String(image),
    workers: Number(workers),
    workerThreads: Number(threads),
    workerMemoryBytes: maybeMemoryBytes(memory) ?? 0,
  };
}

/** Finds values of a Dask cluster that are out of range. The sentences about limits are REANA's. */
export function* findDaskFaults(declared: Readonly<Record<string, unknown>>, path: string): Faults {
  const fault = (message: string) => ({ code: "dask", path, message });
  const { image, workers, workerThreads, workerMemoryBytes } = clusterOf(declared);
  if (typeof declared.image !== "string" || image === "")
    yield fault("A Dask cluster needs the name of an image, as in `image: ghcr.io/dask/dask:latest`.");
  const whole = { number_of_workers: workers, single_worker_threads: workerThreads };
  for (const [key, value] of Object.entries(whole))
    if (!Number.isInteger(value) || value < 1)
      yield fault(`The "${key}" provided in the dask resources must be a whole number from 1 on.`);
  if (workerMemoryBytes === 0)
    yield fault('The "single_worker_memory" provided in the dask resources must be a size such as 2Gi.');
  const exceeds = (key: string, limit: number | string) =>
    fault(`The "${key}" provided in the dask resources exceeds the limit (${limit}).`);
  const limits = DASK_LIMITS;
  if (workers > limits.workers) yield exceeds("number_of_workers", limits.workers);
  if (workerThreads > limits.threads) yield exceeds("single_worker_threads", limits.threads);
  if (workerMemoryBytes > bytes(limits.memory)) yield exceeds("single_worker_memory", limits.memory);
  else if (workers * workerMemoryBytes > bytes(limits.clusterMemory))
    yield fault(
      `The memory of all workers in the dask resources exceeds the limit (${limits.clusterMemory}). ` +
        "Ask for fewer workers, or for less memory for each.",
    );
}

function bytes(size: string): number {
  return maybeMemoryBytes(size)!;
}
