import { lstat, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "#plumbing/clock";
import { codeOf } from "#plumbing/errors";

interface SweepOptions {
  readonly folder: string;
  readonly maxBytes: number;
  readonly clock: Clock;
}

/** Age at which an unfinished download is removed. */
const UNUSED_MS = 24 * 3_600_000;

interface Content {
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly changedMs: number;
}

/** Removes the contents that were not used for the longest time, until the rest has at most `maxBytes`. */
export async function sweepContents(
  { folder, maxBytes, clock }: SweepOptions,
  isHeld: (sha256: string) => boolean,
): Promise<void> {
  const oldMs = clock.now() - UNUSED_MS;
  await removeOld(path.join(folder, "parts"), oldMs);
  const contents = await contentsIn(folder);
  let bytes = contents.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes <= maxBytes) return;
  const uses = await usesIn(folder);
  const lastUseMs = ({ sha256, changedMs }: Content) => uses.get(sha256)?.usedMs ?? changedMs;
  const oldest = contents.toSorted((a, b) => lastUseMs(a) - lastUseMs(b));
  for (const one of oldest) {
    if (bytes <= maxBytes) return;
    if (isHeld(one.sha256)) continue;
    for (const index of uses.get(one.sha256)?.files ?? []) await rm(index, { force: true });
    await rm(one.file, { force: true });
    bytes -= one.bytes;
  }
}

async function removeOld(folder: string, oldMs: number): Promise<void> {
  for (const name of await namesIn(folder)) {
    const file = path.join(folder, name);
    const stat = await maybeStat(file);
    if (stat && stat.mtimeMs < oldMs) await rm(file, { force: true });
  }
}

async function contentsIn(folder: string): Promise<Content[]> {
  const found: Content[] = [];
  const top = path.join(folder, "sha256");
  for (const first of await namesIn(top)) {
    for (const sha256 of await namesIn(path.join(top, first))) {
      const file = path.join(top, first, sha256);
      const stat = await maybeStat(file);
      if (stat) found.push({ file, sha256, bytes: stat.size, changedMs: stat.ctimeMs });
    }
  }
  return found;
}

interface Use {
  readonly usedMs: number;
  /** The files that name the content. */
  readonly files: readonly string[];
}

/** Returns the last use of each content, by its digest. */
async function usesIn(folder: string): Promise<ReadonlyMap<string, Use>> {
  const uses = new Map<string, Use>();
  const addresses = path.join(folder, "addresses");
  for (const name of await namesIn(addresses)) {
    const file = path.join(addresses, name);
    const stat = await maybeStat(file);
    const sha256 = stat && (await maybeDigest(file));
    if (!stat || sha256 === undefined) continue;
    const before = uses.get(sha256);
    uses.set(sha256, {
      usedMs: Math.max(before?.usedMs ?? 0, stat.mtimeMs),
      files: [...(before?.files ?? []), file],
    });
  }
  return uses;
}

async function maybeDigest(file: string): Promise<string | undefined> {
  try {
    return (JSON.parse(await readFile(file, "utf8")) as { readonly sha256?: string }).sha256;
  } catch (error) {
    if (codeOf(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return [];
  }
}

async function maybeStat(file: string) {
  try {
    return await lstat(file);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return undefined;
  }
}
