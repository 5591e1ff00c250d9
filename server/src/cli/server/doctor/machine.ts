import { mkdtemp, rm, stat, statfs, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type Finding, missing, note, ok, warning } from "#cli/server/doctor/finding";
import type { CliContext, SettingOptions } from "#cli/context";
import { diskFloor } from "#plumbing/files/disk-space";
import { codeOf, isDiskFull, messageOf } from "#plumbing/errors";
import { userName } from "#plumbing/own-user";
import { shortSize } from "#plumbing/text/human-size";

/** Free space below which the next run is likely to fill the disk. */
const LITTLE_SPACE_BYTES = 2 ** 30;
/** A disk block, because a smaller file may still fit on a full disk. */
const TRIAL_BYTES = 4096;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return ok("Node", version);
  return missing("Node", `${version} is too old: install 22.18 or newer.`);
}

/** States the risk plainly, because it decides whom an administrator gives an account. */
export async function checkSandbox(cli: CliContext, settings: SettingOptions): Promise<Finding> {
  const { name, reason, isRefused } = await cli.reportSandbox(settings);
  if (reason === undefined)
    return ok("sandbox", `${name}: a job sees the system, its workspace and its own files, and nothing else`);
  if (isRefused === true)
    return missing("sandbox", `none (${reason}): the server does not start. Mend it, or set --sandbox none.`);
  const user = userName();
  return warning(
    "sandbox",
    `none (${reason}): jobs run as ${user} and can read and change everything ${user} can, including this data folder ` +
      "and its admin token. Give accounts only to people whom you would let log in as that user.",
  );
}

/** A server without containers still runs every step, unless the administrator asks for a runtime. */
export async function checkContainers(cli: CliContext, settings: SettingOptions): Promise<Finding> {
  const { runtime, missing: lacking, failedPull, problem, isRequired } = await cli.reportContainers(settings);
  if (lacking !== undefined)
    return missing("containers", `${runtime}: steps that name an image wait for ${lacking}`);
  if (runtime !== undefined && failedPull)
    return warning(
      "containers",
      `${runtime}: steps run in the images that they name, but the last pull failed (${failedPull.at}, ${failedPull.image}): ` +
        `${failedPull.problem} To run without images: --containers none`,
    );
  if (runtime !== undefined) return ok("containers", `${runtime}: steps run in the images that they name`);
  const consequence = isRequired
    ? "steps that name an image wait"
    : "steps run without the images that they name";
  const sentence = `none: ${consequence}. ${problem}`;
  return isRequired ? missing("containers", sentence) : note("containers", sentence);
}

/** Without a GPU, only the steps that ask for one cannot start. */
export async function checkGpus(cli: CliContext, settings: SettingOptions): Promise<Finding> {
  const { gpus, problems } = await cli.reportGpus(settings);
  if (problems.length > 0) return warning("GPUs", problems.join(" "));
  const hidden = gpus.filter(({ isOffered }) => !isOffered).length;
  const aside = hidden === 0 ? "" : ` (${hidden} more, which --gpus keeps from jobs)`;
  const offered = gpus.filter(({ isOffered }) => isOffered);
  if (offered.length === 0) return note("GPUs", `none${aside}: steps that ask for one are refused`);
  const named = offered.map(({ id, name, memoryBytes }) => {
    const size = memoryBytes === undefined ? "" : `, ${shortSize(memoryBytes)}`;
    return `${name}${size} (${id})`;
  });
  return ok("GPUs", `${named.join("; ")}${aside}`);
}

const LIMITED = {
  memory: "the memory of steps with kubernetes_memory_limit, except in containers of podman without root",
  cpu: "the cores of steps with kubernetes_cpu_limit, except in containers of podman without root",
  pids: "the processes of all jobs together",
} as const;

/** Distinguishes limits enforced by the kernel from measured limits, which a job can overshoot. */
export async function checkLimits(cli: CliContext, settings: SettingOptions): Promise<Finding> {
  const { version, byKernel, problem } = await cli.reportLimits(settings);
  const cores = byKernel.includes("cpu")
    ? ""
    : "; the cores of a step without a container, or in one of podman without root, are not limited";
  const rest = `memory, processes, output, bytes and files of each job are measured${cores}`;
  if (version === undefined) return note("limits", `${rest}, because ${problem}`);
  const exact = Object.entries(LIMITED).flatMap(([name, what]) => (byKernel.includes(name) ? [what] : []));
  return ok("limits", `the kernel limits ${exact.join(", ")} (control groups, version ${version}); ${rest}`);
}

/** Lists the server's accepted values of `compute_backend`, and the places that cannot be reached from here. */
export async function checkBackends(cli: CliContext, settings: SettingOptions): Promise<Finding> {
  const reports = await cli.reportBackends(settings);
  const problems = reports.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0)
    return missing("backends", `${problems.join(" ")} Until this is mended, the jobs for this place wait.`);
  const named = reports.filter(({ computeBackends }) => computeBackends.length > 0);
  const runs = named.map(({ name, computeBackends }, index) => {
    const rest = index === 0 ? " or without one" : "";
    return `${name} runs steps with compute_backend ${computeBackends.join(", ")}${rest}`;
  });
  return ok("backends", runs.join("; "));
}

export function checkSystem(platform: string): Finding {
  if (platform === "linux") return ok("system", `Linux ${os.release()}`);
  return warning(
    "system",
    `${platform}: what a job left running can be found by its process group only, because there is no /proc.`,
  );
}

/** Writes a trial file instead of checking permissions: root passes those even on a read-only disk. */
export async function checkDataFolder(folder: string): Promise<Finding> {
  const there = await nearestFolder(folder);
  if (!there.isFolder) return missing("data folder", `${folder}: ${there.path} is not a folder.`);
  try {
    await tryToWrite(there.path);
  } catch (error) {
    if (isDiskFull(error))
      return missing("data folder", `${folder} cannot be written: its disk is full. Free some space.`);
    const advice = "Choose another with --data, or make this one writable.";
    return missing("data folder", `${folder} cannot be written: ${messageOf(error)}. ${advice}`);
  }
  return ok(
    "data folder",
    there.path === folder ? `${folder} is writable` : `${folder} will be made at the first start`,
  );
}

async function tryToWrite(folder: string): Promise<void> {
  const trial = await mkdtemp(path.join(folder, ".reprise-doctor-"));
  try {
    await writeFile(path.join(trial, "trial"), Buffer.alloc(TRIAL_BYTES));
  } finally {
    await rm(trial, { recursive: true });
  }
}

const OWN_DISK = { name: "disk space", what: "data folder" };
export const SHARED_DISK = { name: "shared disk", what: "shared folder" };

export async function checkDiskSpace(
  folder: string,
  floorOf = diskFloor({}),
  { name, what } = OWN_DISK,
): Promise<Finding> {
  const { bavail, bsize, blocks } = await statfs((await nearestFolder(folder)).path);
  const floorBytes = floorOf(blocks * bsize);
  const sentence = `${shortSize(bavail * bsize)} are free for the ${what}`;
  if (bavail * bsize < floorBytes) {
    const floor = `under ${shortSize(floorBytes)} (--min-free) no job starts`;
    return missing(name, `${sentence}: ${floor}. Free some space, for example by deleting runs.`);
  }
  if (bavail * bsize < LITTLE_SPACE_BYTES) return warning(name, `${sentence}: little for results.`);
  return ok(name, sentence);
}

/** Returns the folder itself, or its nearest existing ancestor. */
async function nearestFolder(folder: string): Promise<{ path: string; isFolder: boolean }> {
  try {
    return { path: folder, isFolder: (await stat(folder)).isDirectory() };
  } catch (error) {
    const above = path.dirname(folder);
    if (codeOf(error) === "ENOTDIR") return nearestFolder(above);
    if (codeOf(error) !== "ENOENT" || above === folder) throw error;
    return nearestFolder(above);
  }
}
