import { mkdtemp, rmdir, stat, statfs } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type Finding, missing, ok, warning } from "#cli/doctor/finding";
import { codeOf, messageOf } from "#plumbing/errors";
import { humanSize } from "#plumbing/human-size";

/** Under this the next run is likely to meet a full disk; under the second nothing works reliably. */
const LITTLE_SPACE_BYTES = 2 ** 30;
const NO_SPACE_BYTES = 64 * 2 ** 20;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return ok("Node", version);
  return missing("Node", `${version} is too old: install 22.18 or newer.`);
}

/** Said as it is, because an administrator decides by it whom to let in. */
export function checkSandbox(): Finding {
  const user = os.userInfo().username;
  return warning(
    "sandbox",
    `none: jobs run as the user ${user} and can read and change whatever ${user} can, other runs included. ` +
      "Give accounts only to people whom you would let log in as that user.",
  );
}

export function checkSystem(platform: string): Finding {
  if (platform === "linux") return ok("system", `Linux ${os.release()}`);
  return warning(
    "system",
    `${platform}: what a job left running can be found by its process group only, because there is no /proc.`,
  );
}

/** Tries it rather than asking for permissions: those say "yes" to root, also on a disk that is read-only. */
export async function checkDataFolder(folder: string): Promise<Finding> {
  const there = await nearestFolder(folder);
  if (!there.isFolder) return missing("data folder", `${folder}: ${there.path} is not a folder.`);
  try {
    await rmdir(await mkdtemp(path.join(there.path, ".reprise-doctor-")));
  } catch (error) {
    const advice = "Choose another with --data, or make this one writable.";
    return missing("data folder", `${folder} cannot be written: ${messageOf(error)}. ${advice}`);
  }
  return ok(
    "data folder",
    there.path === folder ? `${folder} is writable` : `${folder} will be made at the first start`,
  );
}

export async function checkDiskSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs((await nearestFolder(folder)).path);
  const sentence = `${humanSize(bavail * bsize)} are free for the data folder`;
  if (bavail * bsize < NO_SPACE_BYTES) return missing("disk space", `${sentence}: too little for anything.`);
  if (bavail * bsize < LITTLE_SPACE_BYTES) return warning("disk space", `${sentence}: little for results.`);
  return ok("disk space", sentence);
}

/** The folder itself, or the first one above it that exists. */
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
