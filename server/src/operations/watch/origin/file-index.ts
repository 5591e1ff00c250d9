import { isUnchanged } from "#operations/watch/origin/is-unchanged";
import { FILES_MAX, recordedFiles } from "#operations/watch/origin/recorded-files";
import { crashPoint } from "#plumbing/crash-points";
import { codeOf } from "#plumbing/errors";
import type { Clock } from "#plumbing/clock";
import { type Connection, transaction } from "#store/database/database";
import { insertFiles, removeFiles } from "#store/origin/file-rows";
import {
  type ClaimedRun,
  markIndexed,
  maybeClaimRun,
  maybeRenewedClaim,
  releaseClaim,
} from "#store/origin/index-claims";
import { oneDefinition, type Run } from "#store/runs/runs";
import type { IndexedFile } from "#workflow/run/indexed-file";
import type { ResultFile } from "#workflow/run/results";
import { declaredPaths } from "#workflow/specification/declared-paths";
import { bytesOfStamp, changedMsOfStamp } from "#workspace/read/stamps";
import type { Workspaces } from "#workspace/workspaces";

interface IndexContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly workspaces: Pick<Workspaces, "of">;
}

/** Maximum number of runs indexed in one sweep, and before one lookup. */
const RUNS_AT_ONCE = 20;
const RUNS_BEFORE_LOOKUP = 5;
/** Number of rows written by one transaction. */
const ROWS_AT_ONCE = 1000;
/** Limit on the time for which the end of a server waits for the index. */
const CLOSING_MAX_MS = 2000;
/** Limit on the time for the checksums of one run, read in a thread. Files beyond have no checksum in the index. */
const HASHING_MAX_MS = 30_000;

/**
 * The index of origins. It is filled after the ends of runs, so that the end of a run costs nothing more. A server claims
 * each run by its row. After a crash another claim begins the run again.
 */
export class FileIndex {
  readonly #context: IndexContext;
  readonly #stop = new AbortController();
  #isFilled = false;

  constructor(context: IndexContext) {
    this.#context = context;
  }

  /** Indexes some of the runs that have ended. From the first call on, lookups do the same for their own users. */
  async look(): Promise<void> {
    this.#isFilled = true;
    await this.#index(RUNS_AT_ONCE);
  }

  /** Indexes the newest runs of a user before a lookup. Does nothing in a process that only reads. */
  async catchUp(ownerId: string): Promise<void> {
    if (this.#isFilled) await this.#index(RUNS_BEFORE_LOOKUP, ownerId);
  }

  /**
   * Indexes runs that have just ended, once the work under way has ended: a command without a server is their last
   * chance for a while. Breaks off after a moment; a later server then indexes the rest.
   */
  async close(underWay: Promise<void>): Promise<void> {
    const callOff = this.#context.clock.after(CLOSING_MAX_MS, () => this.#stop.abort());
    try {
      await underWay;
      await this.#index(RUNS_AT_ONCE);
    } finally {
      callOff();
      this.#stop.abort();
    }
  }

  async #index(max: number, ownerId?: string): Promise<void> {
    for (let left = max; left > 0 && !this.#stop.signal.aborted; left -= 1) {
      const claimed = await maybeClaimRun(this.#context.db, ownerId);
      if (!claimed) return;
      crashPoint("index-claimed");
      await indexRun(this.#context, claimed, this.#stop.signal);
    }
  }
}

async function indexRun(context: IndexContext, claimed: ClaimedRun, signal: AbortSignal): Promise<void> {
  const { db, clock } = context;
  const files = await filesOf(context, claimed.run, signal);
  if (signal.aborted) return releaseClaim(db, claimed);
  let claim: ClaimedRun | undefined = claimed;
  for (let from = 0; claim && (from === 0 || from < files.length); from += ROWS_AT_ONCE)
    claim = await writePart(db, claim, files, from);
  if (!claim) return;
  const last = claim;
  await transaction(db, async (tx) => {
    const held = await maybeRenewedClaim(tx, last);
    if (held) await markIndexed(tx, held.run.seq, clock.now());
  });
  crashPoint("run-indexed");
}

/** Writes some rows in one transaction. Returns undefined if another server has claimed the run. */
async function writePart(
  db: Connection,
  claim: ClaimedRun,
  files: readonly IndexedFile[],
  from: number,
): Promise<ClaimedRun | undefined> {
  const renewed = await transaction(db, async (tx) => {
    const held = await maybeRenewedClaim(tx, claim);
    if (!held) return undefined;
    // Rows of a server that died while it indexed the run.
    if (from === 0) await removeFiles(tx, claim.run.seq);
    await insertFiles(tx, claim.run, files.slice(from, from + ROWS_AT_ONCE), from);
    return held;
  });
  crashPoint("index-written");
  return renewed;
}

/**
 * Returns the files of a run. The content of a file that has no recorded checksum is read now, if the file is still the
 * one that the run had.
 */
async function filesOf(context: IndexContext, run: Run, signal: AbortSignal): Promise<IndexedFile[]> {
  const files = (await recordedFiles(context.db, run)).slice(0, FILES_MAX);
  const present = await presentFiles(context, run, files, signal);
  const known = files.map((file): IndexedFile => {
    const now = present.get(file.path);
    if (file.sha256 !== null || !now || !isUnchanged(file, now.stamp, run)) return file;
    return { ...file, sha256: now.sha256, bytes: now.bytes, stamp: now.stamp };
  });
  const recorded = new Set(files.filter(({ role }) => role === "input").map(({ path }) => path));
  return [...known, ...(await givenFiles(context, run, recorded, signal))].slice(0, FILES_MAX);
}

async function presentFiles(
  context: IndexContext,
  run: Run,
  files: readonly IndexedFile[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ResultFile>> {
  const unread = files.filter(({ sha256 }) => sha256 === null);
  const earlier = [...new Set(unread.map(({ path }) => path))].filter((path) => !path.startsWith("/"));
  return hashed(context, run, { declared: [], earlier }, signal);
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
  const found = await hashed(context, run, { declared: inputs, earlier: [] }, signal);
  const isGiven = ({ stamp }: ResultFile) => (changedMsOfStamp(stamp) ?? Infinity) <= run.startedAtMs!;
  return [...found.values()].filter(isGiven).map(({ path, sha256, stamp }): IndexedFile => {
    const bytes = bytesOfStamp(stamp) ?? null;
    return { path, bytes, sha256, stamp, role: "input", jobId: null, doubt: null };
  });
}

async function hashed(
  { clock, workspaces }: IndexContext,
  run: Run,
  request: { readonly declared: readonly string[]; readonly earlier: readonly string[] },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ResultFile>> {
  if (request.declared.length + request.earlier.length === 0) return new Map();
  const time = new AbortController();
  const callOff = clock.after(HASHING_MAX_MS, () => time.abort());
  try {
    const until = AbortSignal.any([signal, time.signal]);
    const { files } = await workspaces.of(run.workspaceId).collectResults(request, until);
    return new Map(files.map((file) => [file.path, file]));
  } catch (error) {
    // The files of a deleted run are gone, and a broken file system must not keep the runs from the index.
    if (codeOf(error) === undefined) throw error;
    return new Map();
  } finally {
    callOff();
  }
}
