import type { Connection } from "#store/database";
import { matchingWorkflows, type WorkflowFilter } from "#store/workflow-list";
import { toWorkflow, type Workflow, WORKFLOW_COLUMNS } from "#store/workflows";

/**
 * Lists in another order than that of creation. What runs have used has no index: it would be written anew at the end
 * of every job, for an order that is seldom asked for. So the numbers of all runs of a list are put in order, which
 * takes 6 ms for 10,000, and only those of a page are read.
 */

/** The numbers of the runs of a list, by the processor time of their jobs. Of equals the newest is first. */
export async function rankByCpu(db: Connection, filter: WorkflowFilter): Promise<number[]> {
  const query = matchingWorkflows(db, filter).select("seq").orderBy("cpu_ms", "desc").orderBy("seq", "desc");
  return (await query.execute()).map((row) => row.seq);
}

export interface WorkspaceOfRun {
  readonly seq: number;
  readonly workspaceId: string;
}

/** The newest run first. */
export async function workspacesOfList(db: Connection, filter: WorkflowFilter): Promise<WorkspaceOfRun[]> {
  const query = matchingWorkflows(db, filter).select(["seq", "workspace_id"]).orderBy("seq", "desc");
  return (await query.execute()).map((row) => ({ seq: row.seq, workspaceId: row.workspace_id }));
}

/** A few runs by their numbers, in the order in which these are given. */
export async function workflowsInOrder(db: Connection, seqs: readonly number[]): Promise<Workflow[]> {
  if (seqs.length === 0) return [];
  const query = db
    .selectFrom("workflows")
    .select(WORKFLOW_COLUMNS)
    .where("seq", "in", [...seqs]);
  const rows = new Map((await query.execute()).map((row) => [row.seq, row]));
  return seqs.flatMap((seq) => rows.get(seq) ?? []).map(toWorkflow);
}
