import { locked } from "#store/database/adapter";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { countCreated } from "#store/runs/run-counts";
import { insertNumberedRun, type RestartRequest, toRun, type Run, RUN_COLUMNS } from "#store/runs/runs";
import { LIVE_STATUSES, type RunStatus } from "#workflow/run/run-status";
import type { Specification } from "#workflow/specification/specification";

interface NewRestart {
  readonly id: string;
  readonly specification: Specification;
  readonly createdAtMs: number;
}

/** Returns a run's status and locks the row until the transaction ends. */
export async function lockStatus(db: Connection, id: string): Promise<RunStatus> {
  const row = db.selectFrom("runs").select("status").where("id", "=", id);
  return (await locked(db, row).executeTakeFirstOrThrow()).status;
}

/**
 * Inserts a run with the next minor number of its base, in the workspace of its base. Call it inside a transaction. The
 * owner's total is updated first, as for new runs, so that concurrent restarts see each other's runs.
 */
export async function insertRestart(db: Connection, base: Run, restart: NewRestart): Promise<void> {
  await countCreated(db, base.ownerId);
  const { ownerId, workspaceId, name, launcherUrl, runMajor } = base;
  const runMinor = (await highestMinor(db, base)) + 1;
  const language = restart.specification.workflow.type;
  const run = { ...restart, ownerId, workspaceId, name, launcherUrl, language, runMajor, runMinor };
  await insertNumberedRun(db, run);
}

/** Deleted runs count, as for the numbers of new runs. */
async function highestMinor(db: Connection, { ownerId, name, runMajor }: Run): Promise<number> {
  const row = await db
    .selectFrom("runs")
    .select("run_minor")
    .where("owner_id", "=", ownerId)
    .where("name", "=", name)
    .where("run_major", "=", runMajor)
    .orderBy("run_minor", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();
  return row.run_minor;
}

/** Returns the live run of a workspace. An index of the table ensures at most one. */
export async function maybeLiveRunIn(db: Connection, workspaceId: string): Promise<Run | undefined> {
  const { rows } = await liveRunIn(db, { workspaceId });
  return rows[0] && toRun(rows[0]);
}

/** Runs with every upload. */
const liveRunIn = fixedQuery((db, { workspaceId }: { workspaceId: string }) =>
  db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .where("status", "in", LIVE_STATUSES),
);

/** Returns the last run that started in a workspace: the present files are its files. Includes deleted runs. */
export async function maybeLastRunIn(db: Connection, workspaceId: string): Promise<Run | undefined> {
  const row = await db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .where("started_at", "is not", null)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && toRun(row);
}

/** Returns the newest restart in each of these workspaces, by the workspace's id. Leaves out deleted runs. */
export async function newestRestarts(
  db: Connection,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, Run>> {
  if (workspaceIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where("workspace_id", "in", [...new Set(workspaceIds)])
    .where("run_minor", ">", 0)
    .where("status", "!=", "deleted")
    .orderBy("seq")
    .execute();
  return new Map(rows.map(toRun).map((run) => [run.workspaceId, run]));
}

/** Returns the newest run of the workspace before a restart. Leaves out deleted runs. */
export async function maybeRunBefore(
  db: Connection,
  { workspaceId, runMinor }: Pick<Run, "workspaceId" | "runMinor">,
): Promise<Run | undefined> {
  if (runMinor === 0) return undefined;
  const row = await db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .where("run_minor", "<", runMinor)
    .where("status", "!=", "deleted")
    .orderBy("run_minor", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && toRun(row);
}

/** Returns the last run of a workspace with an event of the given kinds. */
export async function maybeRunWithEvent(
  db: Connection,
  workspaceId: string,
  kinds: readonly string[],
): Promise<Run | undefined> {
  const row = await db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .where((where) =>
      where.exists(
        where
          .selectFrom("run_events")
          .select("run_events.seq")
          .whereRef("run_events.run_id", "=", "runs.id")
          .where("run_events.kind", "in", [...kinds]),
      ),
    )
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && toRun(row);
}

/** Stores the request of a restart. Must run in the transaction inserting the run. */
export async function setRestart(db: Connection, id: string, request: RestartRequest): Promise<void> {
  await db
    .updateTable("run_definitions")
    .set({ restart: JSON.stringify(request) })
    .where("run_seq", "=", (query) => query.selectFrom("runs").select("seq").where("id", "=", id))
    .execute();
}

/**
 * Marks the live run of a workspace: its files are changed from outside. Must be called before a user changes
 * files.
 */
export async function markExternalChange(db: Connection, workspaceId: string, atMs: number): Promise<void> {
  // Usually no run is live, and a read costs less than a write without effect.
  const live = await maybeLiveRunIn(db, workspaceId);
  if (!live) return;
  await db
    .updateTable("runs")
    .set({ external_change_at: atMs })
    .where("id", "=", live.id)
    .where("external_change_at", "is", null)
    .execute();
}

export async function hasExternalChange(db: Connection, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("runs")
    .select("external_change_at")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return row.external_change_at !== null;
}
