import { Refusal } from "#plumbing/errors";
import { ownModule } from "#plumbing/own-module";
import { hasMagic, parseGlob } from "#plumbing/text/glob";
import type { ResultFile, Results } from "#workflow/run/results";
import { type Hashed, maybeHash } from "#workspace/results/hash-file";
import type { HashedFiles, HashRequest } from "#workspace/results/hash-files";
import { cleanPath } from "#workspace/safe-path";
import { runThread } from "#workspace/threads/run-thread";
import { type StampedEntry, stampEntry } from "#workspace/read/stamps";
import { type Entry, walk } from "#workspace/find/walk";
import { plainPath } from "#plumbing/files/relative-path";

/**
 * Records the declared outputs of a run when it ends. Each file is recorded with its size and its stamp, and with its
 * SHA-256 within the limits below, small files first. Hashing happens in a thread unless it takes about a millisecond.
 */
export interface ResultsRequest {
  /** Files, folders and patterns, as a specification names them. */
  readonly declared: readonly string[];
  /** Exact paths recorded by earlier runs of the workspace. They come first. */
  readonly earlier: readonly string[];
  /** True if the files are to be found by parts of their contents. */
  readonly hasSketches?: boolean;
}

/** A result with what was read of its content besides the checksum, if that was asked for. */
export interface ReadResult extends ResultFile, Pick<Hashed, "sketch" | "isArchive"> {}

export interface CollectedResults extends Results {
  readonly files: readonly ReadResult[];
}

interface Limits {
  readonly files: number;
  readonly hashedBytes: number;
}

/** 10,000 files make one database row of about 2 MB; hashing 1 GiB takes one core about a second. */
const LIMITS: Limits = { files: 10_000, hashedBytes: 2 ** 30 };
/** Limits for hashing files without a thread, because a thread takes 30 ms to start. */
const INLINE_MAX_BYTES = 2 ** 20;
const INLINE_MAX_FILES = 64;

interface Found {
  readonly looks: ReadonlyMap<string, FoundFile>;
  readonly isCut: boolean;
}

interface FoundFile extends StampedEntry {
  readonly isFile: boolean;
}

/** Returns the results. Stops hashing if the signal aborts; files without a checksum are recorded with their stamp. */
export async function collectResults(
  folder: string,
  request: ResultsRequest,
  signal: AbortSignal,
  limits = LIMITS,
): Promise<CollectedResults> {
  const { looks, isCut } = await find(folder, request, limits.files);
  const wanted = affordable([...looks.values()], limits.hashedBytes);
  const names = wanted.map(({ name }) => name);
  const { hasSketches = false } = request;
  const hashed = await hash({ folder, names, hasSketches }, bytesOf(wanted), signal);
  const files = [...looks.values()].map(({ name: path, bytes, stamp }): ReadResult => {
    return { path, bytes, sha256: null, stamp, ...hashed.get(path) };
  });
  return { files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)), isCut };
}

async function find(folder: string, { declared, earlier }: ResultsRequest, maxFiles: number): Promise<Found> {
  const looks = new Map<string, FoundFile>();
  let isCut = false;
  for (const selection of [...earlier.map(exactly), ...declared.map(selectionOf)]) {
    if (!selection || looks.size > maxFiles) continue;
    for await (const batch of walk(folder, { start: selection.start, onGap: () => (isCut = true) })) {
      const meant = batch.filter(({ name, kind }) => kind !== "folder" && selection.includes(name));
      for (const found of await Promise.all(meant.map(lookAt))) looks.set(found.name, found);
      if (selection.isExact || looks.size > maxFiles) break;
    }
  }
  return { looks: new Map([...looks].slice(0, maxFiles)), isCut: isCut || looks.size > maxFiles };
}

async function lookAt(entry: Entry): Promise<FoundFile> {
  return { ...(await stampEntry(entry)), isFile: entry.kind === "file" };
}

interface Selection {
  readonly start: string | undefined;
  readonly isExact: boolean;
  includes(path: string): boolean;
}

function exactly(path: string): Selection {
  return { start: path, isExact: true, includes: (other) => other === path };
}

/** Returns undefined for a name that no file can have. */
function selectionOf(name: string): Selection | undefined {
  try {
    if (plainPath(name) === "") return { start: undefined, isExact: false, includes: () => true };
    const clean = cleanPath(name);
    if (!hasMagic(clean)) return { start: clean, isExact: false, includes: () => true };
    const glob = parseGlob(clean);
    return { start: glob.start, isExact: false, includes: (path) => path === clean || glob.covers(path) };
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/**
 * Returns the files to hash within the limit. The smallest come first, so that one huge file does not use up
 * the limit.
 */
function affordable(found: readonly FoundFile[], maxBytes: number): FoundFile[] {
  let left = maxBytes;
  return found
    .filter(({ isFile }) => isFile)
    .toSorted((one, other) => one.bytes - other.bytes)
    .filter(({ bytes }) => (left -= bytes) >= 0);
}

function bytesOf(files: readonly FoundFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

type HashedByName = ReadonlyMap<string, Hashed>;

async function hash(request: HashRequest, bytes: number, signal: AbortSignal): Promise<HashedByName> {
  if (signal.aborted) return new Map();
  if (bytes > INLINE_MAX_BYTES || request.names.length > INLINE_MAX_FILES)
    return hashInThread(request, signal);
  const { folder, names, hasSketches } = request;
  const hashed = names.map((name) => [name, maybeHash(folder, name, hasSketches)] as const);
  return new Map(hashed.filter((one): one is [string, Hashed] => one[1] !== undefined));
}

/** Hashes in a thread. If the thread is ended early, the files that it has reported count. */
async function hashInThread(request: HashRequest, signal: AbortSignal): Promise<HashedByName> {
  const module = ownModule("#workspace/results/hash-files");
  const groups = await runThread<HashedFiles>(module, { data: request, signal });
  return new Map(groups.flat());
}
