import {
  ASK_MAX_FILES,
  type Checksum,
  type Collected,
  LISTED_MAX_ENTRIES,
  type ListedEntry,
  type Listing,
  READ_MAX_BYTES,
} from "#engines/engine";
import { Refusal } from "#plumbing/errors";
import { parseGlob } from "#plumbing/text/glob";
import { checksum, isForEver, listed } from "#runner/files/answer-ask";
import type { Collect } from "#workflow/job/job";
import type { RunFiles } from "#workspace/run-files";

/**
 * Collects the facts about files that a job requested for its end. Returns undefined if the job never made
 * the folder. A link counts as its target file in the workspace. A missing or unreadable file is left out: a
 * job of another step may have removed the file.
 */
export async function maybeCollected(files: RunFiles, wanted: Collect): Promise<Collected | undefined> {
  try {
    return await collected(files, wanted);
  } catch (error) {
    if (error instanceof Refusal && isForEver(error)) return undefined;
    throw error;
  }
}

async function collected(files: RunFiles, wanted: Collect): Promise<Collected> {
  const isSummed = matcher(wanted, wanted.sums?.patterns);
  const isRead = matcher(wanted, wanted.texts?.patterns);
  const found: ListedEntry[] = [];
  let first: Listing | undefined;
  for await (const page of pagesOf(files, wanted.folder)) {
    first ??= page;
    if (!wanted.sums && !wanted.texts) break;
    found.push(...page.entries.filter((entry) => isSummed(entry) || isRead(entry)));
    if (found.length > ASK_MAX_FILES) break;
  }
  const few = found.slice(0, ASK_MAX_FILES);
  const sums = wanted.sums && (await sumsOf(files, few.filter(isSummed), wanted.sums.algorithm));
  const texts = wanted.texts && (await textsOf(files, few.filter(isRead), wanted.texts.maxBytes));
  return {
    ...(wanted.lists && { listing: first! }),
    ...(sums && { sums }),
    ...(texts && { texts: texts.read }),
    isCut: found.length > ASK_MAX_FILES || texts?.isCut === true,
  };
}

async function* pagesOf(files: RunFiles, name: string): AsyncGenerator<Listing> {
  let after: string | undefined;
  for (;;) {
    const page = await listed(files, { name, isDeep: true, maxEntries: LISTED_MAX_ENTRIES, after });
    yield page;
    if (!page.isCut) return;
    after = page.entries.at(-1)!.path;
  }
}

function matcher(wanted: Collect, patterns: readonly string[] = []): (entry: ListedEntry) => boolean {
  const leavesHidden = !wanted.matchesHidden;
  const globs = patterns.map((pattern) => parseGlob(pattern, { leavesHidden }));
  const start = wanted.folder === "" ? 0 : wanted.folder.length + 1;
  return ({ path, kind }) => kind !== "folder" && globs.some((glob) => glob.matches(path.slice(start)));
}

async function sumsOf(
  files: RunFiles,
  entries: readonly ListedEntry[],
  algorithm: Checksum["algorithm"],
): Promise<Checksum[]> {
  const sums: Checksum[] = [];
  for (const { path, target } of entries) {
    const sum = target === null ? undefined : await unlessGone(checksum(files, target ?? path, algorithm));
    if (sum) sums.push({ ...sum, path });
  }
  return sums;
}

async function textsOf(files: RunFiles, entries: readonly ListedEntry[], maxBytes: number) {
  const read: { readonly path: string; readonly text: string; readonly bytes: number }[] = [];
  let left = READ_MAX_BYTES;
  for (const { path, target } of entries) {
    if (target === null) continue;
    const text = await unlessGone(files.read(target ?? path, Math.min(maxBytes, left)));
    if (!text) continue;
    if (left < Math.min(maxBytes, text.bytes)) return { read, isCut: true };
    left -= Math.min(maxBytes, text.bytes);
    read.push({ path, ...text });
  }
  return { read, isCut: false };
}

async function unlessGone<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal && (isForEver(error) || error.kind === "forbidden")) return undefined;
    throw error;
  }
}
