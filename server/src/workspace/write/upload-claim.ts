import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "#plumbing/clock";
import { codeOf } from "#plumbing/errors";
import { copyFile } from "#plumbing/files/copy-file";

/**
 * Claims of servers of a shared folder to the bytes of an upload. If a client continues through another server, the first
 * server may still be writing, or asleep, and keeps its open file. Therefore the bytes move to a new file, and the late
 * server writes to a file without a name.
 */
interface Claimed {
  /** The folder of the upload. */
  readonly folder: string;
  /** The file with the bytes. */
  readonly part: string;
  readonly hostId: string;
  readonly clock: Clock;
}

/** Claims the upload for this host. Calls must not overlap. Returns a function that ends the claim. */
export async function claimUpload({ folder, part, hostId, clock }: Claimed): Promise<() => Promise<void>> {
  const claim = path.join(folder, "writer");
  const fresh = `${claim}-${hostId}`;
  await writeFile(fresh, hostId);
  try {
    const before = await maybeHolder(claim);
    await rename(fresh, claim);
    if (before !== undefined && before !== hostId) await moveToNewFile(part, `${part}-${hostId}`, clock);
  } finally {
    await rm(fresh, { force: true });
  }
  return () => endClaim(claim, hostId);
}

async function maybeHolder(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function moveToNewFile(part: string, copy: string, clock: Clock): Promise<void> {
  // A killed server may have left a copy.
  await rm(copy, { force: true });
  try {
    await copyFile(part, copy, { clock });
    await rename(copy, part);
  } finally {
    await rm(copy, { force: true });
  }
}

/** Takes the claim away before looking at it: another server may claim the upload at this moment. */
async function endClaim(claim: string, hostId: string): Promise<void> {
  const taken = `${claim}-${hostId}-ended`;
  try {
    await rename(claim, taken);
    if ((await maybeHolder(taken)) !== hostId) await link(taken, claim);
  } catch (error) {
    // The upload is complete, or another server has claimed the upload.
    if (!["ENOENT", "EEXIST"].includes(codeOf(error) ?? "")) throw error;
  }
  await rm(taken, { force: true });
}
