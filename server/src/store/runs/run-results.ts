import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { toRun, type Run, RUN_COLUMNS } from "#store/runs/runs";
import type { Results } from "#workflow/run/results";

/** Stores a run's results. Must run in the transaction ending the run. */
export async function insertRunResults(db: Connection, runId: string, results: Results): Promise<void> {
  await db
    .insertInto("run_results")
    .values({ run_id: runId, body: JSON.stringify(results) })
    .execute();
}

/** Returns the results by run id, without runs that recorded no results. */
export async function resultsOfRuns(
  db: Connection,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, Results>> {
  if (runIds.length === 0) return new Map();
  const rows = await db.selectFrom("run_results").selectAll().where("run_id", "in", runIds).execute();
  return new Map(rows.map((row) => [row.run_id, JSON.parse(row.body) as Results]));
}

/** Returns the other runs started in a run's workspace, in order. Includes deleted runs. */
export async function otherRunsIn(
  db: Connection,
  { id, workspaceId }: Pick<Run, "id" | "workspaceId">,
): Promise<Run[]> {
  const { rows } = await othersIn(db, { id, workspaceId });
  return rows.map(toRun);
}

/** Runs with every status request. */
const othersIn = fixedQuery((db, { id, workspaceId }: Pick<Run, "id" | "workspaceId">) =>
  db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .where("id", "!=", id)
    .where("started_at", "is not", null)
    .orderBy("seq"),
);

/** Returns, by workspace, the sequence number of the last started run. */
export async function lastStartedIn(
  db: Connection,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (workspaceIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("runs")
    .select(({ fn }) => ["workspace_id", fn.max<number | string>("seq").as("last_seq")])
    .where("workspace_id", "in", [...new Set(workspaceIds)])
    .where("started_at", "is not", null)
    .groupBy("workspace_id")
    .execute();
  return new Map(rows.map((row) => [row.workspace_id, Number(row.last_seq)]));
}
