import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { DeviceNode, Gpu, Gpus } from "#backends/gpus/gpu";
import { maybeOpenOwn, maybeReadOwn } from "#backends/process/attempt/own-file";
import { codeOf } from "#plumbing/errors";

/** Hands whole GPUs to jobs. A claim is a file, so that a job keeps its devices while the server is away. */
export interface GpuPool {
  readonly gpus: Gpus;
  /** Returns the devices of a job, after handing them out if it has none. Undefined if too few are free. */
  grant(jobId: string, wanted: number): readonly Gpu[] | undefined;
  /** Returns the devices that a job has. */
  of(jobId: string): readonly Gpu[];
  release(jobId: string): void;
}

interface PoolOptions {
  /** Holds a file for each device that a job has. */
  readonly folder: string;
  readonly gpus: Gpus;
  /** Returns whether the job has ended, or was removed: a server that went away did not release its devices. */
  readonly hasEnded: (jobId: string) => boolean;
}

export function openGpuPool({ folder, gpus, hasEnded }: PoolOptions): GpuPool {
  const claims = readClaims(folder, gpus);
  const isFree = ({ id }: Gpu) => {
    const holder = claims.get(id);
    return holder === undefined || hasEnded(holder);
  };
  const of = (jobId: string) => gpus.found.filter(({ id }) => claims.get(id) === jobId);
  return {
    gpus,
    of,
    grant(jobId, wanted) {
      const held = of(jobId);
      if (held.length >= wanted) return held;
      // A server that was killed between two claims has left the job with too few.
      const free = gpus.offered.filter((gpu) => !held.includes(gpu) && isFree(gpu));
      const missing = free.slice(0, wanted - held.length);
      if (held.length + missing.length < wanted) return undefined;
      for (const { id } of missing) {
        writeClaim(folder, id, jobId);
        claims.set(id, jobId);
      }
      return of(jobId);
    },
    release(jobId) {
      for (const { id } of of(jobId)) {
        rmSync(path.join(folder, id), { force: true });
        claims.delete(id);
      }
    },
  };
}

/** A claim holds the id of a job. */
const CLAIM = /^[\w-]{1,100}\n$/;

function readClaims(folder: string, { found }: Gpus): Map<string, string> {
  const claims = new Map<string, string>();
  for (const name of entriesOf(folder)) {
    const text = found.some(({ id }) => id === name) ? maybeClaim(path.join(folder, name)) : "";
    if (CLAIM.test(text)) claims.set(name, text.trim());
  }
  return claims;
}

/** A job without a sandbox can put anything in the place of the file. */
function maybeClaim(file: string): string {
  const opened = maybeOpenOwn(file, "read");
  if (opened === undefined || typeof opened === "string") return "";
  return maybeReadOwn(opened, CLAIM_MAX_BYTES)?.toString("latin1") ?? "";
}

const CLAIM_MAX_BYTES = 200;

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Written in one step: a claim that is cut short would free the device of a running job. */
function writeClaim(folder: string, id: string, jobId: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, id);
  writeFileSync(`${file}.new`, `${jobId}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Returns the nodes that a job with these devices sees in `/dev`. */
export function nodesOf(granted: readonly Gpu[], { sharedNodes }: Gpus): readonly DeviceNode[] {
  const vendors = [...new Set(granted.map(({ vendor }) => vendor))];
  return [...granted.flatMap(({ nodes }) => nodes), ...vendors.flatMap((vendor) => sharedNodes(vendor))];
}

/**
 * Returns the variables that show a job its devices, and hide all others. The word `void` keeps NVIDIA's runtime for
 * containers from showing every device to an image that asks for all. ROCm counts only the devices that it can open, so
 * a job that sees no others (`isWalled`) needs no numbers.
 */
export function gpuVariables(
  granted: readonly Gpu[],
  { found }: Gpus,
  isWalled: boolean,
): Readonly<Record<string, string>> {
  const idsOf = (vendor: Gpu["vendor"]) => granted.filter((gpu) => gpu.vendor === vendor).map(({ id }) => id);
  const has = (vendor: Gpu["vendor"]) => found.some((gpu) => gpu.vendor === vendor);
  const nvidia = idsOf("nvidia").join(",");
  const amd = granted.filter(({ vendor }) => vendor === "amd").map((gpu) => amdIndex(gpu, found));
  return {
    ...(has("nvidia") && { CUDA_VISIBLE_DEVICES: nvidia, NVIDIA_VISIBLE_DEVICES: nvidia || "void" }),
    ...(has("amd") && !(isWalled && amd.length > 0) && { ROCR_VISIBLE_DEVICES: amd.join(",") || "-1" }),
  };
}

/** ROCm counts its own devices from 0. */
function amdIndex(gpu: Gpu, found: readonly Gpu[]): number {
  return found.filter(({ vendor }) => vendor === "amd").indexOf(gpu);
}
