import type { Connection } from "#store/database";
import { fixedQuery } from "#store/fixed-query";
import { toWorkflow, type Workflow, WORKFLOW_COLUMNS } from "#store/workflows";
import type { Results } from "#workflow/results";

/** Stores a run's results. Call it in the transaction that ends the run. */
export async function insertRunResults(db: Connection, workflowId: string, results: Results): Promise<void> {
  await db
    .insertInto("run_results")
    .values({ workflow_id: workflowId, body: JSON.stringify(results) })
    .execute();
}

/** Returns the results by run id, without runs that recorded none. */
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

/** Returns the other runs that started in a run's workspace, in order. Includes deleted runs. */
export async function otherRunsIn(
  db: Connection,
  { id, workspaceId }: Pick<Workflow, "id" | "workspaceId">,
): Promise<Workflow[]> {
  const { rows } = await othersIn(db, { id, workspaceId });
  return rows.map(toWorkflow);
}

/** Runs with every status request. */
const othersIn = fixedQuery((db, { id, workspaceId }: Pick<Workflow, "id" | "workspaceId">) =>
  db
    .selectFrom("workflows")
    .select(WORKFLOW_COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .where("id", "!=", id)
    .where("started_at", "is not", null)
    .orderBy("seq"),
);
