import { type Kysely, sql } from "kysely";
import type { ColumnDifferences } from "#store/migrations/columns";
import { key, keyOf, notNull, of, zero } from "#store/migrations/columns";
import { createNotes } from "#store/migrations/notes";
import { createPublications } from "#store/migrations/publications";
import { createQuotas } from "#store/migrations/quotas";
import { createRunFiles } from "#store/migrations/run-files";
import { createShadows } from "#store/migrations/shadows";
import { createVerifications } from "#store/migrations/verifications";
import { createNotifications } from "#store/migrations/notifications";
import {
  createAnnouncements,
  createGroups,
  createIdentities,
  createPolicies,
  createSecrets,
  createShares,
  createUsers,
} from "#store/migrations/users";

export async function first(db: Kysely<unknown>, columns: ColumnDifferences): Promise<void> {
  await createUsers(db);
  await createIdentities(db);
  await createAnnouncements(db);
  await createSecrets(db);
  await createQuotas(db);
  await createWorkspaces(db);
  await createRuns(db, columns);
  await createNotes(db, columns);
  await indexRuns(db);
  await createCounts(db);
  await createRetentionRules(db);
  await createHosts(db);
  await createJobs(db);
  await createRunHistory(db);
  await createRunFiles(db, columns);
  await createReruns(db);
  await createNotebooks(db);
  await createNotifications(db);
  await createIdempotencyKeys(db);
  await createGroups(db);
  await createPolicies(db);
  await createShares(db, columns);
}

async function createWorkspaces(db: Kysely<unknown>) {
  await db.schema
    .createTable("workspaces")
    .addColumn("id", "text", key)
    .addColumn("owner_id", "text", of("users.id"))
    .addColumn("created_at", "bigint", notNull)
    .addColumn("removed_at", "bigint")
    .execute();
  await db.schema.createIndex("workspaces_of_owner").on("workspaces").column("owner_id").execute();
}

async function createRuns(db: Kysely<unknown>, { rowNumber, numbered }: ColumnDifferences) {
  await db.schema
    .createTable("runs")
    .addColumn("seq", rowNumber, (column) => numbered(key(column)))
    .addColumn("id", "text", (column) => column.notNull().unique())
    .addColumn("owner_id", "text", of("users.id"))
    .addColumn("workspace_id", "text", of("workspaces.id"))
    .addColumn("name", "text", notNull)
    .addColumn("run_major", "integer", notNull)
    .addColumn("run_minor", "integer", notNull)
    .addColumn("status", "text", notNull)
    .addColumn("language", "text", notNull)
    .addColumn("launcher_url", "text")
    .addColumn("doi", "text")
    .addColumn("jobs_total", "integer", zero)
    .addColumn("jobs_running", "integer", zero)
    .addColumn("jobs_finished", "integer", zero)
    .addColumn("jobs_failed", "integer", zero)
    .addColumn("failure", "text")
    .addColumn("failed_job", "text")
    .addColumn("cpu_ms", "bigint", zero)
    .addColumn("engine_cpu_ms", "bigint", zero)
    .addColumn("created_at", "bigint", notNull)
    .addColumn("queued_at", "bigint")
    .addColumn("started_at", "bigint")
    .addColumn("finished_at", "bigint")
    .addColumn("stopped_at", "bigint")
    .addColumn("stop_requested_at", "bigint")
    .addColumn("external_change_at", "bigint")
    .addColumn("held_by", "text")
    .addColumn("lease_epoch", "integer", zero)
    .addColumn("waiting_for", "text")
    .addColumn("emptied_at", "bigint")
    .addColumn("indexed_at", "bigint")
    .addColumn("index_claimed_at", "bigint")
    .execute();
  await db.schema
    .createTable("run_definitions")
    .addColumn("run_seq", rowNumber, keyOf("runs.seq"))
    // The column precedes the specification, which may be long: a filter by parameters then reads only the start of a row.
    .addColumn("listed_parameters", "text", notNull)
    .addColumn("specification", "text", notNull)
    .addColumn("input_parameters", "text", notNull)
    .addColumn("operational_options", "text", notNull)
    .addColumn("restart", "text")
    .addColumn("kept_settings", "text")
    .addColumn("model", "text")
    .execute();
}

/** Creates the indexes of runs. Each one costs a new run about 6 microseconds. */
async function indexRuns(db: Kysely<unknown>) {
  const index = (name: string) => db.schema.createIndex(name).on("runs");
  // Unique run numbers; lookups by name and number.
  await index("runs_by_name").unique().columns(["owner_id", "name", "run_major", "run_minor"]).execute();
  // The usual list, and the runs of one name. Neither reads deleted runs, however many there are. The time is in the
  // index because a list since a time is counted there, without reading the runs.
  await index("runs_current")
    .columns(["owner_id", "seq", "created_at"])
    .where(sql`status`, "!=", "deleted")
    .execute();
  await index("runs_current_by_name")
    .columns(["owner_id", "name", "seq"])
    .where(sql`status`, "!=", "deleted")
    .execute();
  // Lists of some statuses, each read in order and merged: a few running ones among many finished.
  await index("runs_by_owner_status").columns(["owner_id", "status", "seq", "created_at"]).execute();
  // The scheduler's queue: the longest waiting run of each user.
  await index("runs_by_status").columns(["status", "owner_id", "queued_at"]).execute();
  await index("runs_by_workspace").column("workspace_id").execute();
  // Old runs, the oldest first: runs to delete, and runs with events to empty.
  const byEnd = (name: string) => index(name).expression(sql`coalesce(finished_at, stopped_at)`);
  await byEnd("runs_to_delete")
    .where(sql<boolean>`status != 'deleted' and coalesce(finished_at, stopped_at) is not null`)
    .execute();
  await byEnd("runs_to_empty")
    .where(sql<boolean>`emptied_at is null and coalesce(finished_at, stopped_at) is not null`)
    .execute();
  // Ended runs whose files are still to be indexed, by owner.
  await index("runs_to_index")
    .columns(["owner_id", "seq"])
    .where(sql<boolean>`indexed_at is null and coalesce(finished_at, stopped_at) is not null`)
    .execute();
  // Runs share workspaces. The index guarantees, independently of other code, at most one live run per
  // workspace.
  await index("runs_live_in_workspace").unique().column("workspace_id").where(isLive).execute();
}

const isLive = sql<boolean>`status in ('queued', 'pending', 'running')`;

async function createCounts(db: Kysely<unknown>) {
  await db.schema
    .createTable("run_counts")
    .addColumn("owner_id", "text", notNull)
    .addColumn("status", "text", notNull)
    .addColumn("total", "integer", notNull)
    .addPrimaryKeyConstraint("run_counts_key", ["owner_id", "status"])
    .execute();
  // Users with queued or live runs: few of all users, looked up each time a run gets its turn.
  await db.schema
    .createIndex("run_counts_live")
    .on("run_counts")
    .columns(["owner_id", "status"])
    .where(sql<boolean>`${isLive} and total > 0`)
    .execute();
}

/** Creates the table of rules: which files are deleted, and how many days after the end of their run. */
async function createRetentionRules(db: Kysely<unknown>) {
  await db.schema
    .createTable("retention_rules")
    .addColumn("id", "text", key)
    .addColumn("run_id", "text", of("runs.id"))
    .addColumn("pattern", "text", notNull)
    .addColumn("days", "integer", notNull)
    .addColumn("claimed_by", "text")
    .addColumn("applied_at", "bigint")
    .execute();
  await db.schema.createIndex("retention_of_run").on("retention_rules").column("run_id").execute();
  await db.schema
    .createIndex("retention_open")
    .on("retention_rules")
    .column("id")
    .where(sql<boolean>`applied_at is null`)
    .execute();
}

async function createHosts(db: Kysely<unknown>) {
  await db.schema
    .createTable("hosts")
    .addColumn("id", "text", key)
    .addColumn("name", "text", notNull)
    .addColumn("seen_at", "bigint", notNull)
    .addColumn("declared_lost_at", "bigint")
    .addColumn("must_end_jobs", "integer", zero)
    .addColumn("places", "text", (column) => column.notNull().defaultTo(""))
    .addColumn("shared_id", "text")
    .addColumn("address", "text")
    .execute();
}

async function createJobs(db: Kysely<unknown>) {
  await db.schema
    .createTable("jobs")
    .addColumn("id", "text", key)
    .addColumn("run_id", "text", of("runs.id"))
    .addColumn("ordinal", "integer", notNull)
    .addColumn("key", "text", notNull)
    .addColumn("attempt", "integer", notNull)
    .addColumn("name", "text", notNull)
    .addColumn("label", "text")
    .addColumn("node", "text", notNull)
    .addColumn("command", "text", notNull)
    .addColumn("image", "text")
    .addColumn("image_digest", "text")
    .addColumn("backend", "text", notNull)
    .addColumn("status", "text", notNull)
    .addColumn("reason", "text")
    .addColumn("exit_code", "integer")
    .addColumn("detail", "text")
    .addColumn("host_id", "text")
    .addColumn("host_token", "text", notNull)
    .addColumn("outside_id", "text")
    .addColumn("queue_reason", "text")
    .addColumn("concern", "text")
    .addColumn("created_at", "bigint", notNull)
    .addColumn("started_at", "bigint")
    .addColumn("finished_at", "bigint")
    .addColumn("cpu_ms", "bigint")
    .addColumn("peak_bytes", "bigint")
    .addColumn("gpu_ms", "bigint")
    .addColumn("gpu_peak_bytes", "bigint")
    .addColumn("sampled", "text")
    .addColumn("memory_limit_bytes", "bigint")
    .addColumn("ended_seq", "integer")
    .addColumn("taken_from", "text")
    .addColumn("decision", "text")
    .addUniqueConstraint("jobs_attempt", ["run_id", "key", "attempt"])
    .execute();
  // An index costs a write when a job is inserted and another write when the job ends. A partial index costs
  // only one write.
  const index = (name: string) => db.schema.createIndex(name).on("jobs");
  await index("jobs_of_run").columns(["run_id", "ordinal"]).execute();
  await index("jobs_of_node").columns(["run_id", "node", "ordinal"]).execute();
  // Watchers of a run poll its open jobs, a few of perhaps a hundred thousand, and the first open job with a concern.
  await index("jobs_open")
    .columns(["run_id", "ordinal"])
    .where(sql<boolean>`status in ('created', 'running')`)
    .execute();
  const concerned = sql<boolean>`concern is not null`;
  await index("jobs_concerned").columns(["run_id", "ordinal"]).where(concerned).execute();
  // The newest jobs of each status. Open ones are read through the index above.
  await index("jobs_by_status")
    .columns(["run_id", "status", "ordinal"])
    .where(sql<boolean>`status in ('finished', 'failed', 'stopped')`)
    .execute();
  // Watchers also poll the jobs ended after a given event number.
  await index("jobs_ended")
    .columns(["run_id", "ended_seq"])
    .where(sql<boolean>`ended_seq is not null`)
    .execute();
  await db.schema
    .createTable("job_stamps")
    .addColumn("job_id", "text", keyOf("jobs.id"))
    .addColumn("body", "text", notNull)
    .execute();
  await createJobContents(db);
  await createGraphs(db);
}

/** Creates the table of finished jobs that later runs may take over. */
async function createJobContents(db: Kysely<unknown>) {
  await db.schema
    .createTable("job_contents")
    .addColumn("workspace_id", "text", of("workspaces.id"))
    .addColumn("job_id", "text", of("jobs.id"))
    .addColumn("owner_id", "text", of("users.id"))
    .addColumn("job_key", "text", notNull)
    .addColumn("contents_key", "text", notNull)
    .addColumn("body", "text", notNull)
    .addColumn("created_at", "bigint", notNull)
    .addPrimaryKeyConstraint("job_contents_key", ["workspace_id", "job_id"])
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on("job_contents");
  await index("job_contents_in_workspace").columns(["workspace_id", "job_key", "created_at"]).execute();
  await index("job_contents_equal").columns(["workspace_id", "contents_key", "created_at"]).execute();
  await index("job_contents_of_owner").columns(["owner_id", "contents_key", "created_at"]).execute();
}

/** Creates the tables of graphs: what became of each node, and what was drawn after the start. */
async function createGraphs(db: Kysely<unknown>) {
  await db.schema
    .createTable("run_nodes")
    .addColumn("run_id", "text", of("runs.id"))
    .addColumn("node", "text", notNull)
    .addColumn("created", "integer", zero)
    .addColumn("running", "integer", zero)
    .addColumn("finished", "integer", zero)
    .addColumn("failed", "integer", zero)
    .addColumn("stopped", "integer", zero)
    .addColumn("taken_over", "integer", zero)
    .addColumn("retried", "integer", zero)
    .addColumn("mark", "text")
    .addPrimaryKeyConstraint("run_nodes_key", ["run_id", "node"])
    .execute();
  await db.schema
    .createTable("run_drawings")
    .addColumn("run_id", "text", of("runs.id"))
    .addColumn("seq", "integer", notNull)
    .addColumn("body", "text", notNull)
    .addPrimaryKeyConstraint("run_drawings_key", ["run_id", "seq"])
    .execute();
}

/**
 * Creates a run's records outside its row, because lists read the row: events, snapshots, outputs and
 * results.
 */
async function createRunHistory(db: Kysely<unknown>) {
  await db.schema
    .createTable("run_events")
    .addColumn("run_id", "text", of("runs.id"))
    .addColumn("seq", "integer", notNull)
    .addColumn("kind", "text", notNull)
    .addColumn("body", "text", notNull)
    .addColumn("log", "text", notNull)
    .addColumn("at", "bigint", notNull)
    .addPrimaryKeyConstraint("run_events_key", ["run_id", "seq"])
    .execute();
  await db.schema
    .createTable("run_snapshots")
    .addColumn("run_id", "text", keyOf("runs.id"))
    .addColumn("seq", "integer", notNull)
    .addColumn("engine_version", "integer", notNull)
    .addColumn("job_count", "integer", notNull)
    .addColumn("state", "text", notNull)
    .addColumn("outstanding", "text", notNull)
    .execute();
  const runTable = (name: string) =>
    db.schema.createTable(name).addColumn("run_id", "text", keyOf("runs.id"));
  await runTable("run_outputs").addColumn("outputs", "text", notNull).execute();
  await runTable("run_results").addColumn("body", "text", notNull).execute();
}

/** Creates the table of runs whose workspace started as a copy of another. */
async function createReruns(db: Kysely<unknown>) {
  await db.schema
    .createTable("reruns")
    .addColumn("run_id", "text", keyOf("runs.id"))
    .addColumn("workspace_id", "text", of("workspaces.id"))
    .addColumn("source_workspace_id", "text", of("workspaces.id"))
    .addColumn("previous", "text")
    .execute();
  await db.schema.createIndex("reruns_by_workspace").on("reruns").column("workspace_id").execute();
  await db.schema.createIndex("reruns_by_source").on("reruns").column("source_workspace_id").execute();
  await createVerifications(db);
  await createShadows(db);
  await createPublications(db);
}

/** Creates the tables of open notebooks (at most one per run) and of ended notebooks. */
async function createNotebooks(db: Kysely<unknown>) {
  await db.schema
    .createTable("notebooks")
    .addColumn("run_id", "text", keyOf("runs.id"))
    .addColumn("id", "text", notNull)
    .addColumn("host_id", "text", notNull)
    .addColumn("host_token", "text", notNull)
    .addColumn("image", "text")
    .addColumn("sealed", "text", notNull)
    .addColumn("status", "text", notNull)
    .addColumn("opened_at", "bigint", notNull)
    .addColumn("used_at", "bigint", notNull)
    .addColumn("closed_for", "text")
    .execute();
  await db.schema
    .createTable("ended_notebooks")
    .addColumn("id", "text", key)
    .addColumn("run_id", "text", of("runs.id"))
    .addColumn("user_id", "text", of("users.id"))
    .addColumn("ended_at", "bigint", notNull)
    .addColumn("cpu_ms", "bigint", notNull)
    .addColumn("closed_for", "text")
    .execute();
  await db.schema
    .createIndex("ended_notebooks_of_run")
    .on("ended_notebooks")
    .columns(["run_id", "ended_at"])
    .execute();
}

/** Creates the table of responses by idempotency key, so that a repeated request is carried out once. */
async function createIdempotencyKeys(db: Kysely<unknown>) {
  await db.schema
    .createTable("idempotency_keys")
    .addColumn("user_id", "text", of("users.id"))
    .addColumn("key", "text", notNull)
    .addColumn("fingerprint", "text", notNull)
    .addColumn("sealed", "text", notNull)
    .addColumn("stored_at", "bigint", notNull)
    .addPrimaryKeyConstraint("idempotency_keys_key", ["user_id", "key"])
    .execute();
  await db.schema.createIndex("idempotency_keys_by_age").on("idempotency_keys").column("stored_at").execute();
}
