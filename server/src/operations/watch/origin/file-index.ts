import { type IndexContext, indexedFiles } from "#operations/watch/origin/indexed-files";
import { crashPoint } from "#plumbing/crash-points";
import { type Connection, transaction } from "#store/database/database";
import { insertFiles, removeFiles } from "#store/origin/file-rows";
import {
  type ClaimedRun,
  markIndexed,
  maybeClaimRun,
  maybeRenewedClaim,
  releaseClaim,
} from "#store/origin/index-claims";
import type { IndexedFile } from "#workflow/run/indexed-file";

/** Maximum number of runs indexed in one sweep, and before one lookup. */
const RUNS_AT_ONCE = 20;
const RUNS_BEFORE_LOOKUP = 5;
/** Number of rows written by one transaction. */
const ROWS_AT_ONCE = 1000;
/** Limit on the time for which the end of a server waits for the index. */
const CLOSING_MAX_MS = 2000;

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
  const files = await indexedFiles(context, claimed.run, signal);
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
