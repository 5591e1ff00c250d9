import { filesInside } from "#operations/watch/origin/files-inside";
import { isUnchanged } from "#operations/watch/origin/is-unchanged";
import { FILES_MAX, recordedFiles } from "#operations/watch/origin/recorded-files";
import type { Clock } from "#plumbing/clock";
import { codeOf } from "#plumbing/errors";
import type { Connection } from "#store/database/database";
import { oneDefinition, type Run } from "#store/runs/runs";
import type { IndexedFile } from "#workflow/run/indexed-file";
import { declaredPaths } from "#workflow/specification/declared-paths";
import { bytesOfStamp, changedMsOfStamp } from "#workspace/read/stamps";
import type { ReadResult } from "#workspace/results/collect-results";
import type { Workspaces } from "#workspace/workspaces";

export interface IndexContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly workspaces: Pick<Workspaces, "of">;
}

/** Limit on the time for one reading of files in a thread. Files beyond have no checksum in the index. */
const READING_MAX_MS = 30_000;
/** Limit on the files of a run that are found by parts of their contents. Each has up to 16 more rows in the database. */
const SKETCHED_MAX = 1000;

/**
 * Returns the files of a run, with the files inside its archives. The content of a file is read now, if the file is still
 * the one that the run had.
 */
export async function indexedFiles(
  context: IndexContext,
  run: Run,
  signal: AbortSignal,
): Promise<IndexedFile[]> {
  const files = (await recordedFiles(context.db, run)).slice(0, FILES_MAX);
  const present = await presentFiles(context, run, files, signal);
  const known = files.map((file) => withContent(file, present.get(file.path), run));
  const recorded = new Set(files.filter(({ role }) => role === "input").map(({ path }) => path));
  const given = await givenFiles(context, run, recorded, signal);
  const archives = new Set(
    [...present.values()].filter(({ isArchive }) => isArchive).map(({ path }) => path),
  );
  const packed = known.filter(({ path, role }) => archives.has(path) && role !== "read");
  const inside = await filesInside(context, run, packed, signal);
  return withFewSketches([...known, ...given, ...inside].slice(0, FILES_MAX));
}

function withContent(file: IndexedFile, now: ReadResult | undefined, run: Run): IndexedFile {
  if (!now || !isUnchanged(file, now.stamp, run)) return file;
  const { sha256, bytes, stamp, sketch } = now;
  if (file.sha256 === null) return { ...file, sha256, bytes, stamp, ...(sketch && { sketch }) };
  return sketch && file.sha256 === sha256 ? { ...file, sketch } : file;
}

/** Keeps the sketch in the first row of a path alone, and the sketches of a limited number of files. */
function withFewSketches(files: readonly IndexedFile[]): IndexedFile[] {
  const sketched = new Set<string>();
  return files.map(({ sketch, ...file }) => {
    if (!sketch || sketched.has(file.path) || sketched.size === SKETCHED_MAX) return file;
    sketched.add(file.path);
    return { ...file, sketch };
  });
}

/** Reads files without a checksum, then the first of the other files for their sketches. */
async function presentFiles(
  context: IndexContext,
  run: Run,
  files: readonly IndexedFile[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadResult>> {
  const inWorkspace = files.filter(({ path }) => !path.startsWith("/"));
  const unread = new Set(inWorkspace.filter(({ sha256 }) => sha256 === null).map(({ path }) => path));
  const others = new Set(inWorkspace.map(({ path }) => path).filter((path) => !unread.has(path)));
  const first = await read(context, run, { declared: [], earlier: [...unread] }, signal);
  const wanted = [...others].slice(0, SKETCHED_MAX);
  const second = await read(context, run, { declared: [], earlier: wanted }, signal);
  return new Map([...first, ...second]);
}

/**
 * Returns the declared inputs that no event of the run has recorded: files that have not changed since the start. The
 * change time, which no user can set, tells.
 */
async function givenFiles(
  context: IndexContext,
  run: Run,
  recorded: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<IndexedFile[]> {
  const { inputs } = declaredPaths((await oneDefinition(context.db, run.id)).specification);
  if (recorded.size > 0 || inputs.length === 0 || run.startedAtMs === null) return [];
  const found = await read(context, run, { declared: inputs, earlier: [] }, signal);
  const isGiven = ({ stamp }: ReadResult) => (changedMsOfStamp(stamp) ?? Infinity) <= run.startedAtMs!;
  return [...found.values()].filter(isGiven).map(({ path, sha256, stamp, sketch }): IndexedFile => {
    const bytes = bytesOfStamp(stamp) ?? null;
    const file = { path, bytes, sha256, stamp, jobId: null, doubt: null };
    return { ...file, role: "input", ...(sketch && { sketch }) };
  });
}

async function read(
  { clock, workspaces }: IndexContext,
  run: Run,
  request: { readonly declared: readonly string[]; readonly earlier: readonly string[] },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadResult>> {
  if (request.declared.length + request.earlier.length === 0) return new Map();
  const time = new AbortController();
  const callOff = clock.after(READING_MAX_MS, () => time.abort());
  try {
    const until = AbortSignal.any([signal, time.signal]);
    const workspace = workspaces.of(run.workspaceId);
    const { files } = await workspace.collectResults({ ...request, hasSketches: true }, until);
    return new Map(files.map((file) => [file.path, file]));
  } catch (error) {
    // The files of a deleted run are gone, and a broken file system must not keep the runs from the index.
    if (codeOf(error) === undefined) throw error;
    return new Map();
  } finally {
    callOff();
  }
}
