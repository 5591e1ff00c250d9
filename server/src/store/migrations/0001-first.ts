import { type ColumnDefinitionBuilder, type Kysely, sql } from "kysely";
import type { ColumnDifferences } from "#store/adapter";

const notNull = (column: ColumnDefinitionBuilder) => column.notNull();
const key = (column: ColumnDefinitionBuilder) => column.notNull().primaryKey();
const zero = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0);

export async function first(db: Kysely<unknown>, columns: ColumnDifferences): Promise<void> {
  await createUsers(db);
  await createWorkflows(db, columns);
  await indexWorkflows(db);
  await createRuns(db);
  await createSnapshots(db);
}

async function createUsers(db: Kysely<unknown>) {
  await db.schema
    .createTable("users")
    .addColumn("id", "text", key)
    .addColumn("email", "text", notNull)
    .addColumn("email_key", "text", (column) => column.notNull().unique())
    .addColumn("is_admin", "integer", zero)
    .addColumn("disabled_at", "bigint")
    .addColumn("created_at", "bigint", notNull)
    .execute();
  await db.schema
    .createTable("tokens")
    .addColumn("id", "text", key)
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id"))
    .addColumn("hash", "text", (column) => column.notNull().unique())
    .addColumn("sealed", "text", notNull)
    .addColumn("created_at", "bigint", notNull)
    .addColumn("revoked_at", "bigint")
    .execute();
  await db.schema
    .createIndex("tokens_of_user")
    .on("tokens")
    .columns(["user_id", "created_at", "id"])
    .execute();
}

async function createWorkflows(db: Kysely<unknown>, { rowNumber, numbered }: ColumnDifferences) {
  await db.schema
    .createTable("workspaces")
    .addColumn("id", "text", key)
    .addColumn("owner_id", "text", (column) => column.notNull().references("users.id"))
    .addColumn("created_at", "bigint", notNull)
    .addColumn("removed_at", "bigint")
    .execute();
  await db.schema
    .createTable("workflows")
    .addColumn("seq", rowNumber, (column) => numbered(key(column)))
    .addColumn("id", "text", (column) => column.notNull().unique())
    .addColumn("owner_id", "text", (column) => column.notNull().references("users.id"))
    .addColumn("workspace_id", "text", (column) => column.notNull().references("workspaces.id"))
    .addColumn("name", "text", notNull)
    .addColumn("run_major", "integer", notNull)
    .addColumn("run_minor", "integer", notNull)
    .addColumn("status", "text", notNull)
    .addColumn("language", "text", notNull)
    .addColumn("launcher_url", "text")
    .addColumn("jobs_total", "integer", zero)
    .addColumn("jobs_running", "integer", zero)
    .addColumn("jobs_finished", "integer", zero)
    .addColumn("jobs_failed", "integer", zero)
    .addColumn("failure", "text")
    .addColumn("created_at", "bigint", notNull)
    .addColumn("queued_at", "bigint")
    .addColumn("started_at", "bigint")
    .addColumn("finished_at", "bigint")
    .addColumn("stopped_at", "bigint")
    .addColumn("stop_requested_at", "bigint")
    .addColumn("held_by", "text")
    .addColumn("lease_epoch", "integer", zero)
    .addColumn("waiting_for", "text")
    .execute();
  await db.schema
    .createTable("workflow_definitions")
    .addColumn("workflow_seq", rowNumber, (column) => key(column).references("workflows.seq"))
    .addColumn("specification", "text", notNull)
    .addColumn("input_parameters", "text", notNull)
    .addColumn("operational_options", "text", notNull)
    .execute();
  await db.schema
    .createTable("workflow_counts")
    .addColumn("owner_id", "text", notNull)
    .addColumn("status", "text", notNull)
    .addColumn("total", "integer", notNull)
    .addPrimaryKeyConstraint("workflow_counts_key", ["owner_id", "status"])
    .execute();
  // Users with queued or live runs: few of all users, looked up each time a run gets its turn.
  await db.schema
    .createIndex("workflow_counts_live")
    .on("workflow_counts")
    .columns(["owner_id", "status"])
    .where(sql<boolean>`status in ('queued', 'pending', 'running') and total > 0`)
    .execute();
}

/** Creates the indexes of workflows. Each one costs a new workflow about 6 microseconds. */
async function indexWorkflows(db: Kysely<unknown>) {
  const index = (name: string) => db.schema.createIndex(name).on("workflows");
  // Unique run numbers; lookups by name and number.
  await index("workflows_by_name").unique().columns(["owner_id", "name", "run_major", "run_minor"]).execute();
  // The usual list, and the runs of one name. Neither reads deleted runs, however many there are.
  await index("workflows_current")
    .columns(["owner_id", "seq"])
    .where(sql`status`, "!=", "deleted")
    .execute();
  await index("workflows_current_by_name")
    .columns(["owner_id", "name", "seq"])
    .where(sql`status`, "!=", "deleted")
    .execute();
  // Lists of some statuses, each read in order and merged: a few running ones among many finished.
  await index("workflows_by_owner_status").columns(["owner_id", "status", "seq"]).execute();
  // The scheduler's queue: the longest waiting run of each user.
  await index("workflows_by_status").columns(["status", "owner_id", "queued_at"]).execute();
  await index("workflows_by_workspace").column("workspace_id").execute();
}

async function createRuns(db: Kysely<unknown>) {
  await db.schema
    .createTable("hosts")
    .addColumn("id", "text", key)
    .addColumn("name", "text", notNull)
    .addColumn("seen_at", "bigint", notNull)
    .addColumn("declared_lost_at", "bigint")
    .execute();
  await db.schema
    .createTable("run_events")
    .addColumn("workflow_id", "text", (column) => column.notNull().references("workflows.id"))
    .addColumn("seq", "integer", notNull)
    .addColumn("kind", "text", notNull)
    .addColumn("body", "text", notNull)
    .addColumn("log", "text", notNull)
    .addColumn("at", "bigint", notNull)
    .addPrimaryKeyConstraint("run_events_key", ["workflow_id", "seq"])
    .execute();
  await db.schema
    .createTable("jobs")
    .addColumn("id", "text", key)
    .addColumn("workflow_id", "text", (column) => column.notNull().references("workflows.id"))
    .addColumn("ordinal", "integer", notNull)
    .addColumn("key", "text", notNull)
    .addColumn("attempt", "integer", notNull)
    .addColumn("name", "text", notNull)
    .addColumn("command", "text", notNull)
    .addColumn("image", "text")
    .addColumn("backend", "text", notNull)
    .addColumn("status", "text", notNull)
    .addColumn("reason", "text")
    .addColumn("exit_code", "integer")
    .addColumn("detail", "text")
    .addColumn("host_id", "text")
    .addColumn("boot_id", "text", notNull)
    .addColumn("created_at", "bigint", notNull)
    .addColumn("started_at", "bigint")
    .addColumn("finished_at", "bigint")
    .addUniqueConstraint("jobs_attempt", ["workflow_id", "key", "attempt"])
    .execute();
  await db.schema.createIndex("jobs_of_workflow").on("jobs").columns(["workflow_id", "ordinal"]).execute();
}

/** Creates tables with one row per run, separate from the workflow row, which lists read. */
async function createSnapshots(db: Kysely<unknown>) {
  await db.schema
    .createTable("run_snapshots")
    .addColumn("workflow_id", "text", (column) => key(column).references("workflows.id"))
    .addColumn("seq", "integer", notNull)
    .addColumn("engine_version", "integer", notNull)
    .addColumn("job_count", "integer", notNull)
    .addColumn("body", "text", notNull)
    .execute();
  await db.schema
    .createTable("run_outputs")
    .addColumn("workflow_id", "text", (column) => key(column).references("workflows.id"))
    .addColumn("outputs", "text", notNull)
    .execute();
}
