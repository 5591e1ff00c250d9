import type { Connection } from "#store/database/database";
import { matchingRuns, type RunFilter } from "#store/runs/run-list";
import { toRun, type Run, RUN_COLUMNS } from "#store/runs/runs";

/**
 * Lists in an order other than that of creation. Processor time has no index: the index would be updated at the end of
 * every job, for an order that is seldom requested. Instead, the numbers of all runs of a list are sorted, which takes
 * 6 ms for 10,000 runs, and only the runs of one page are read.
 */

/** Returns the numbers of the listed runs, most processor time first. Ties are ordered newest first. */
export async function rankByCpu(db: Connection, filter: RunFilter): Promise<number[]> {
  const query = matchingRuns(db, filter).select("seq").orderBy("cpu_ms", "desc").orderBy("seq", "desc");
  return (await query.execute()).map((row) => row.seq);
}

export interface WorkspaceOfRun {
  readonly seq: number;
  readonly workspaceId: string;
}

/** Returns the workspaces of the listed runs, newest run first. */
export async function workspacesOfList(db: Connection, filter: RunFilter): Promise<WorkspaceOfRun[]> {
  const query = matchingRuns(db, filter).select(["seq", "workspace_id"]).orderBy("seq", "desc");
  return (await query.execute()).map((row) => ({ seq: row.seq, workspaceId: row.workspace_id }));
}

/** Returns a few runs by their numbers, in the given order. */
export async function runsInOrder(db: Connection, seqs: readonly number[]): Promise<Run[]> {
  if (seqs.length === 0) return [];
  const query = db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where("seq", "in", [...seqs]);
  const rows = new Map((await query.execute()).map((row) => [row.seq, row]));
  return seqs.flatMap((seq) => rows.get(seq) ?? []).map(toRun);
}
