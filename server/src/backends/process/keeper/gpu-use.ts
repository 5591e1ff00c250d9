import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { GPU_CLAIMS } from "#backends/process/attempt/attempt-folder";
import { type FoundJob, isRunning, maybeFirstLine, note } from "#backends/process/keeper/find-job";
import { report } from "#backends/process/keeper/report";

/** The use of one device at this moment. */
interface DeviceUse {
  /** Share of the time in which the device was busy, from 0 to 1. */
  readonly busy: number;
  readonly bytes: number;
}

type Uses = ReadonlyMap<string, DeviceUse>;

/** State of the sampling between two looks. */
export interface GpuWatch {
  isAsking: boolean;
  nextAtMs: number;
  /** The use of each job so far, by the claim of the job. */
  readonly jobs: Map<string, { atMs: number; busyMs: number; peakBytes: number }>;
}

export function createGpuWatch(): GpuWatch {
  return { isAsking: false, nextAtMs: 0, jobs: new Map() };
}

const PAUSE_MS = 2000;
const ANSWER_MAX_MS = 10_000;
const MIB = 2 ** 20;

/**
 * Samples the devices of jobs, and records their use. A job has whole devices, so the use of a device is that of its job.
 * Without such a job nothing is asked. `root` is the folder with `sys`.
 */
export function sampleGpus(
  { folder, gpus }: { readonly folder: string; readonly gpus: GpuWatch },
  running: readonly FoundJob[],
  root = "/",
): Promise<void> | undefined {
  const held = devicesOf(path.join(folder, GPU_CLAIMS));
  const jobs = running.filter(({ id }) => held.has(id));
  const claims = new Set(jobs.map(({ claim }) => claim));
  for (const claim of gpus.jobs.keys()) if (!claims.has(claim)) gpus.jobs.delete(claim);
  const nowMs = performance.now();
  if (jobs.length === 0 || gpus.isAsking || nowMs < gpus.nextAtMs) return undefined;
  gpus.isAsking = true;
  gpus.nextAtMs = nowMs + PAUSE_MS;
  return addUses(gpus, jobs, held, root)
    .catch(report)
    .finally(() => {
      gpus.isAsking = false;
    });
}

async function addUses(
  gpus: GpuWatch,
  jobs: readonly FoundJob[],
  held: ReadonlyMap<string, readonly string[]>,
  root: string,
): Promise<void> {
  const uses = await usesOf(
    jobs.flatMap(({ id }) => held.get(id)!),
    root,
  );
  for (const job of jobs) add(gpus, job, held.get(job.id)!, uses);
}

/** Adds a sample to the use of a job. Steps of a sixteenth keep the record short. */
function add({ jobs }: GpuWatch, job: FoundJob, devices: readonly string[], uses: Uses): void {
  const known = devices.flatMap((device) => uses.get(device) ?? []);
  if (known.length === 0) return;
  const sum = (one: keyof DeviceUse) => known.reduce((all, use) => all + use[one], 0);
  const { gpuBusyMs, gpuPeakBytes } = job.said;
  const atMs = performance.now();
  const before = jobs.get(job.claim) ?? { atMs, busyMs: gpuBusyMs ?? 0, peakBytes: gpuPeakBytes ?? 0 };
  const busyMs = before.busyMs + (atMs - before.atMs) * sum("busy");
  const peakBytes = Math.max(before.peakBytes, sum("bytes"));
  jobs.set(job.claim, { atMs, busyMs, peakBytes });
  const isMuchMore = (now: number, said: number | undefined) => now > (said ?? -1) * (17 / 16);
  if ((isMuchMore(busyMs, gpuBusyMs) || isMuchMore(peakBytes, gpuPeakBytes)) && isRunning(job))
    note(job, "gpu", Math.round(busyMs), peakBytes);
}

/** Returns the devices that each job has, by the claims of the pool: a file for each device, with the id of the job. */
function devicesOf(claims: string): ReadonlyMap<string, readonly string[]> {
  const devices = existsSync(claims) ? readdirSync(claims) : [];
  const held = new Map<string, string[]>();
  for (const device of devices) {
    const id = maybeFirstLine(path.join(claims, device));
    if (id) held.set(id, [...(held.get(id) ?? []), device]);
  }
  return held;
}

async function usesOf(devices: readonly string[], root: string): Promise<Uses> {
  const isNode = (device: string) => device.startsWith("renderD");
  const nodes = devices.filter(isNode).map((node) => [node, amdUse(root, node)] as const);
  const nvidia = devices.every(isNode) ? new Map<string, DeviceUse>() : await nvidiaUses();
  return new Map([...nvidia, ...nodes]);
}

/** The kernel's driver for AMD counts in files. */
function amdUse(root: string, node: string): DeviceUse {
  const read = (name: string) =>
    Number(maybeFirstLine(path.join(root, "sys/class/drm", node, "device", name)) ?? 0) || 0;
  return { busy: read("gpu_busy_percent") / 100, bytes: read("mem_info_vram_used") };
}

/** Imported lazily: a keeper of jobs without GPUs takes less memory. */
async function nvidiaUses(): Promise<Uses> {
  const { execFile } = await import("node:child_process");
  const query = ["--query-gpu=uuid,utilization.gpu,memory.used", "--format=csv,noheader,nounits"];
  const limits = { timeout: ANSWER_MAX_MS, killSignal: "SIGKILL" } as const;
  const text = await new Promise<string>((resolve) => {
    // A program that fails now may answer later. The start of the server has reported a missing one.
    execFile("nvidia-smi", query, limits, (error, stdout) => resolve(error ? "" : stdout));
  });
  return new Map(text.split("\n").flatMap(nvidiaUse));
}

/** Reads a line such as `GPU-8f…, 87, 40536`. A driver that cannot tell a number writes `[N/A]`. */
function nvidiaUse(line: string): (readonly [string, DeviceUse])[] {
  const [id = "", busy = "", mib = ""] = line.split(",").map((word) => word.trim());
  if (!/^[\w-]+$/.test(id) || !/^\d+$/.test(mib)) return [];
  return [[id, { busy: /^\d+$/.test(busy) ? Number(busy) / 100 : 0, bytes: Number(mib) * MIB }]];
}
