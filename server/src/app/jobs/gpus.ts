import path from "node:path";
import { GPU_CLAIMS } from "#backends/process/attempt/attempt-folder";
import { findGpus, UnknownGpu } from "#backends/gpus/find-gpus";
import { type GpuPool, openGpuPool } from "#backends/gpus/gpu-pool";
import { hasEndedIn } from "#backends/local/attempts/has-ended";
import { SettingError } from "#config/read";
import type { GpusReport } from "#workflow/reports";
import type { Config } from "#config/settings";

interface GpuLog {
  error(details: object, message: string): void;
}

/** Finds the GPUs that jobs may have. Undefined on a machine without any. `jobs` is the folder of all jobs. */
export function maybeGpus(config: Pick<Config, "gpus">, jobs: string, log: GpuLog): GpuPool | undefined {
  const gpus = gpusOf(config);
  for (const problem of gpus.problems) log.error({}, problem);
  if (gpus.found.length === 0) return undefined;
  return openGpuPool({ folder: path.join(jobs, GPU_CLAIMS), gpus, hasEnded: hasEndedIn(jobs) });
}

function gpusOf(config: Pick<Config, "gpus">) {
  try {
    return findGpus(config.gpus);
  } catch (error) {
    if (error instanceof UnknownGpu) throw new SettingError([`--gpus: ${error.message}.`]);
    throw error;
  }
}

/** Looks for the GPUs of a server with the given settings, without side effects. */
export function reportGpus(config: Pick<Config, "gpus">): GpusReport {
  const { found, offered, problems } = gpusOf(config);
  const gpus = found.map((gpu) => {
    const { id, name, memoryBytes } = gpu;
    const isOffered = offered.includes(gpu);
    return { id, name, isOffered, ...(memoryBytes !== undefined && { memoryBytes }) };
  });
  return { gpus, problems };
}
