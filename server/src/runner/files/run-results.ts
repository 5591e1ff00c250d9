import type { Clock } from "#plumbing/clock";
import { codeOf } from "#plumbing/errors";
import type { Connection } from "#store/database/database";
import { otherRunsIn, resultsOfRuns } from "#store/runs/run-results";
import type { Run } from "#store/runs/runs";
import type { Results } from "#workflow/run/results";
import type { Workspaces } from "#workspace/workspaces";

/**
 * Limit on the time for checksums of outputs at the end of a run. Files without a checksum are identified by
 * size and stamp.
 */
const HASHING_MAX_MS = 5000;

export interface ResultsContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly workspaces: Pick<Workspaces, "of">;
}

/**
 * Collects the declared outputs (`declared`) of an ending run, and the outputs of earlier runs of the
 * workspace that the run may have replaced. A repetition after a crash is harmless: the result is recorded
 * together with the end.
 */
export async function maybeResults(
  { db, clock, workspaces }: ResultsContext,
  run: Run,
  declared: readonly string[],
): Promise<Results | undefined> {
  const earlier = run.runMinor === 0 ? [] : await earlierPaths(db, run);
  if (declared.length + earlier.length === 0) return undefined;
  const time = new AbortController();
  const callOff = clock.after(HASHING_MAX_MS, () => time.abort());
  try {
    return await workspaces.of(run.workspaceId).collectResults({ declared, earlier }, time.signal);
  } catch (error) {
    // A file system that fails to read must not keep the run from ending.
    if (codeOf(error) === undefined) throw error;
    return { files: [], isCut: true };
  } finally {
    callOff();
  }
}

async function earlierPaths(db: Connection, run: Run): Promise<string[]> {
  const runs = await otherRunsIn(db, run);
  const recorded = await resultsOfRuns(
    db,
    runs.map(({ id }) => id),
  );
  return [...new Set([...recorded.values()].flatMap(({ files }) => files.map(({ path }) => path)))];
}
