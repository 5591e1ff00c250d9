import type { Clock } from "#plumbing/clock";
import { LISTED_MAX_ENTRIES } from "#engines/engine";
import type { JobEnd } from "#workflow/job/job";
import { isSameStamp, type FileStamps } from "#workflow/job/file-stamps";
import type { Workspace } from "#workspace/workspace";

/**
 * Compares the workspace of one run after each of its jobs with the previous look, and returns the changes.
 */
export interface ChangeDetector {
  /**
   * Returns undefined if the workspace has too many files. A second call for the job that was asked about last returns
   * all of its changes: a stop may have dropped the first result.
   */
  maybeChanges(jobId: string, end: JobEnd): Promise<FileStamps | undefined>;
}

interface DetectorContext {
  readonly workspace: Pick<Workspace, "maybeStamps">;
  readonly clock: Clock;
}

/** Up to this many entries are checked after every job, however short the job was. */
const ALWAYS_MAX_ENTRIES = 1000;
/** With more entries, the job must have run for this long per entry. The look takes some 20 microseconds for each. */
const JOB_MS_PER_ENTRY = 0.1;
/**
 * Delay before the next job of the run. The kernel's time of change moves in steps of up to ten milliseconds: a file
 * that is changed twice within one step looks the same.
 */
const SETTLE_MS = 12;
/** A file this far in the future has the time of another clock, so waiting does not help. */
const AHEAD_MAX_MS = 60_000;

export function createChangeDetector({ workspace, clock }: DetectorContext): ChangeDetector {
  let seen: Readonly<Record<string, string>> | undefined;
  /** The look before the last job. */
  let last: { readonly jobId: string; readonly before: typeof seen } | undefined;
  let isTooMuch = false;

  async function settle(newestMs: number): Promise<void> {
    const ageMs = clock.now() - newestMs;
    if (ageMs > SETTLE_MS || ageMs < -AHEAD_MAX_MS) return;
    await new Promise<void>((resolve) => void clock.after(SETTLE_MS, resolve));
  }

  return {
    async maybeChanges(jobId, end) {
      if (isTooMuch || !isWorthIt(seen, end)) return undefined;
      const before = last?.jobId === jobId ? last.before : seen;
      last = { jobId, before };
      const now = await workspace.maybeStamps(LISTED_MAX_ENTRIES);
      isTooMuch = !now;
      seen = now?.stamps;
      if (!now) return undefined;
      await settle(now.newestMs);
      return before ? { isWhole: false, files: changes(before, now.stamps) } : whole(now.stamps);
    },
  };
}

function isWorthIt(seen: Readonly<Record<string, string>> | undefined, end: JobEnd): boolean {
  const entries = seen === undefined ? 0 : Object.keys(seen).length;
  if (entries <= ALWAYS_MAX_ENTRIES) return true;
  return end.startedAtMs !== null && end.endedAtMs - end.startedAtMs > entries * JOB_MS_PER_ENTRY;
}

function whole(files: FileStamps["files"]): FileStamps {
  return { isWhole: true, files };
}

function changes(before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>) {
  const written = Object.entries(now).filter(([path, stamp]) => !isSameStamp(before[path], stamp));
  const gone = Object.keys(before).filter((path) => !Object.hasOwn(now, path));
  return Object.fromEntries<string | null>([...written, ...gone.map((path) => [path, null] as const)]);
}
