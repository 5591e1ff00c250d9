import type { Connection } from "#store/database";
import { fixedQuery } from "#store/fixed-query";
import { toWorkflow, type Workflow, WORKFLOW_COLUMNS } from "#store/workflows";
import type { Results } from "#workflow/results";

/** In the transaction that ends the run. */
export async function insertRunResults(db: Connection, workflowId: string, results: Results): Promise<void> {
  await db
    .insertInto("run_results")
    .values({ workflow_id: workflowId, body: JSON.stringify(results) })
    .execute();
}

/** By the ids of the runs; nothing for a run that recorded none. */
export async function resultsOfRuns(
  db: Connection,
  workflowIds: readonly string[],
): Promise<ReadonlyMap<string, Results>> {
  if (workflowIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("run_results")
    .selectAll()
    .where("workflow_id", "in", workflowIds)
    .execute();
  return new Map(rows.map((row) => [row.workflow_id, JSON.parse(row.body) as Results]));
}

/** The other runs that began in the workspace of a run, in order. Deleted ones have been there too. */
export async function otherRunsIn(
  db: Connection,
  { id, workspaceId }: Pick<Workflow, "id" | "workspaceId">,
): Promise<Workflow[]> {
  const { rows } = await othersIn(db, { id, workspaceId });
  return rows.map(toWorkflow);
}

/** Asked with every status. */
const othersIn = fixedQuery((db, { id, workspaceId }: Pick<Workflow, "id" | "workspaceId">) =>
  db
    .selectFrom("workflows")
    .select(WORKFLOW_COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .where("id", "!=", id)
    .where("started_at", "is not", null)
    .orderBy("seq"),
);
