import { stat } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "#plumbing/errors";
import type { Mount } from "#workflow/job/job";

/** The place of CVMFS on most machines, and in every job. */
export const CVMFS = "/cvmfs";

/**
 * Returns the folder of this machine that a mount of CVMFS shows. Undefined if the mount leads to another
 * place.
 */
export function maybeCvmfsFolder({ from, mode }: Mount, folder: string): string | undefined {
  const isCvmfs = path.normalize(from) === from && from.startsWith(`${CVMFS}/`) && mode === "read";
  return isCvmfs ? path.join(folder, path.relative(CVMFS, from)) : undefined;
}

/** Returns why jobs cannot see the repository. A look at the repository makes an automounter mount it. */
export async function cvmfsProblem(repository: string, folder: string): Promise<string | undefined> {
  const place = path.join(folder, repository);
  try {
    await stat(place);
    return undefined;
  } catch (error) {
    const why = codeOf(error) === "ENOENT" ? "there is no" : "this server cannot read";
    return `The CVMFS repository ${repository} is not on this machine: ${why} ${place}. Mount CVMFS there, or name its folder by --cvmfs.`;
  }
}
