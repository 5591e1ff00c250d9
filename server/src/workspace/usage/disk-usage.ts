import { codeOf, Refusal } from "#plumbing/errors";
import { parseGlob } from "#plumbing/text/glob";
import type { CountedSize } from "#workspace/usage/kept-sizes";
import { refuseTooDeep } from "#workspace/find/list-files";
import { maybeLstat } from "#workspace/safe-path";
import { type Entry, walk } from "#workspace/find/walk";

export interface UsageRequest {
  /** True if only the sum is returned. */
  readonly summarize: boolean;
  /** Patterns for displayed names: at least one must match. */
  readonly names?: readonly string[];
  /** Exact sizes: at least one must be equal. */
  readonly sizes?: readonly string[];
}

export interface Usage {
  /** Path like `/results/a`; the workspace itself is the empty name. */
  readonly name: string;
  readonly bytes: number;
}

/** Unit of `stat.blocks`, regardless of the file system's block size. */
const BLOCK_BYTES = 512;
const ENTRIES_MAX = 100_000;

/**
 * Returns the disk usage of files and folders as `du` counts it: in blocks, with each folder including its contents.
 */
export async function diskUsage(folder: string, request: UsageRequest): Promise<Usage[]> {
  const usage = new Map<string, number>([["", (await blocksOf(folder)) ?? 0]]);
  for await (const batch of walk(folder, { onGap: refuseTooDeep })) {
    const looked = await Promise.all(batch.map(look));
    for (const entry of looked) if (entry) add(usage, entry, request.summarize);
    if (usage.size > ENTRIES_MAX) throw tooMany();
  }
  const isWanted = filterFor(request);
  const all = [...usage].map(([name, bytes]) => ({ name, bytes }));
  return all.filter(isWanted).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function add(usage: Map<string, number>, { name, bytes }: Usage, summarize: boolean): void {
  usage.set("", usage.get("")! + bytes);
  if (summarize) return;
  for (let end = name.length; end > 0; end = name.lastIndexOf("/", end - 1)) {
    const at = name.slice(0, end);
    usage.set(at, (usage.get(at) ?? 0) + bytes);
  }
}

/**
 * Returns the disk usage of a workspace, which is the sum of `diskUsage`, or undefined if it has more than `maxEntries`
 * entries. Unreadable folders are not counted: one request may ask for the sizes of many workspaces.
 */
export async function maybeSize(folder: string, maxEntries: number): Promise<CountedSize | undefined> {
  let bytes = (await blocksOf(folder)) ?? 0;
  let entries = 0;
  for await (const batch of walk(folder, { onGap: () => undefined })) {
    entries += batch.length;
    if (entries > maxEntries) return undefined;
    for (const entry of await Promise.all(batch.map(look))) bytes += entry?.bytes ?? 0;
  }
  return { bytes, entries };
}

/** Returns undefined if the entry is gone or its folder is not searchable. */
async function look({ name, at }: Entry): Promise<Usage | undefined> {
  const bytes = await blocksOf(at);
  return bytes === undefined ? undefined : { name: `/${name}`, bytes };
}

async function blocksOf(at: Entry["at"]): Promise<number | undefined> {
  try {
    const stat = await maybeLstat(at);
    return stat && stat.blocks * BLOCK_BYTES;
  } catch (error) {
    if (codeOf(error) === "EACCES") return undefined;
    throw error;
  }
}

function filterFor({ names = [], sizes = [] }: UsageRequest): (usage: Usage) => boolean {
  const globs = names.map((name) => parseGlob(name.replace(/^\.?\//, "")));
  return ({ name, bytes }) =>
    (globs.length === 0 || globs.some((glob) => glob.matches(name.slice(1)))) &&
    (sizes.length === 0 || sizes.includes(String(bytes)));
}

function tooMany(): Refusal {
  const sentence = `The workspace holds more than ${ENTRIES_MAX} files. Request only the total (summarize).`;
  return new Refusal("malformed", sentence);
}
