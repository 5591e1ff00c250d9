import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { rowsQuery } from "#store/database/many-rows";

/** A finished job. The body describes the facts behind the result, and the outputs. */
export interface JobContentsRow {
  readonly jobId: string;
  readonly workspaceId: string;
  readonly ownerId: string;
  /** Key of the job in the run. */
  readonly jobKey: string;
  /** Equal for jobs with equal contents. */
  readonly contentsKey: string;
  /** JSON. */
  readonly body: string;
  readonly createdAtMs: number;
}

/** Stores the contents of finished jobs. Must run in the transaction recording the ends. */
export async function insertJobContents(db: Connection, jobs: readonly JobContentsRow[]): Promise<void> {
  if (jobs.length === 0) return;
  const rows = jobs.map((job) => ({
    job_id: job.jobId,
    workspace_id: job.workspaceId,
    owner_id: job.ownerId,
    job_key: job.jobKey,
    contents_key: job.contentsKey,
    body: job.body,
    created_at: job.createdAtMs,
  }));
  await insertRows(db, rows);
}

const COLUMNS = {
  job_id: "text",
  workspace_id: "text",
  owner_id: "text",
  job_key: "text",
  contents_key: "text",
  body: "text",
  created_at: "bigint",
} as const;
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

const insertRows = rowsQuery(COLUMNS, (db, given) =>
  db
    .insertInto("job_contents")
    .columns(NAMES)
    .expression(sql`select ${sql.join(NAMES.map((name) => sql.ref(name)))} from ${given} where true`)
    // Two runs of a workspace may copy one job.
    .onConflict((conflict) => conflict.columns(["workspace_id", "job_id"]).doNothing()),
);

/** A finished job available for takeover, with the name of its run. */
export interface ReusableJobRow {
  readonly jobId: string;
  readonly workspaceId: string;
  readonly contentsKey: string;
  readonly body: string;
  readonly createdAtMs: number;
  readonly run: { readonly name: string; readonly runMajor: number; readonly runMinor: number };
}

/** Returns the finished jobs with the given key in a workspace, newest first. */
export async function reusableJobsIn(
  db: Connection,
  place: { readonly workspaceId: string; readonly jobKey: string },
): Promise<ReusableJobRow[]> {
  return (await rowsWithKey(db, place)).rows.map(toReusable);
}

/** Returns the recorded contents of the given jobs, in a workspace. */
export async function contentsOfJobs(
  db: Connection,
  workspaceId: string,
  jobIds: readonly string[],
): Promise<Pick<JobContentsRow, "jobId" | "body">[]> {
  if (jobIds.length === 0) return [];
  const rows = await db
    .selectFrom("job_contents")
    .select(["job_id", "body"])
    .where("workspace_id", "=", workspaceId)
    .where("job_id", "in", [...jobIds])
    .orderBy("job_id")
    .execute();
  return rows.map((row) => ({ jobId: row.job_id, body: row.body }));
}

/** Contents to search for, and the run for which a job may be taken over. */
export interface WantedContents {
  readonly workspaceId: string;
  readonly contentsKey: string;
  /** The run that asks. Empty if the run does not exist yet. */
  readonly runId: string;
}

/**
 * Limit on the equal jobs that are read. A run takes each of them over at most once, and this many takeovers of a run
 * are never under way together.
 */
const EQUAL_MAX = 100;

/** Returns earlier runs' jobs with equal contents finished in a workspace, newest first, with any key. */
export async function equalJobsIn(db: Connection, wanted: WantedContents): Promise<ReusableJobRow[]> {
  return (await rowsWithContents(db, wanted)).rows.map(toReusable);
}

/** Returns jobs with equal contents, finished in the owner's other workspaces, newest first. */
export async function equalJobsElsewhere(
  db: Connection,
  wanted: WantedContents & { readonly ownerId: string },
): Promise<ReusableJobRow[]> {
  return (await rowsElsewhere(db, wanted)).rows.map(toReusable);
}

const rowsElsewhere = fixedQuery((db, wanted: WantedContents & { readonly ownerId: string }) =>
  equalTo(db, wanted)
    .where("job_contents.owner_id", "=", wanted.ownerId)
    .where("job_contents.workspace_id", "!=", wanted.workspaceId),
);

/** Maximum number of earlier jobs compared: each restart with a change adds a job. */
const COMPARED_MAX = 20;

const rowsWithKey = fixedQuery((db, { workspaceId, jobKey }: { workspaceId: string; jobKey: string }) =>
  newestIn(db, workspaceId).where("job_contents.job_key", "=", jobKey).limit(COMPARED_MAX),
);

const rowsWithContents = fixedQuery((db, wanted: WantedContents) =>
  equalTo(db, wanted).where("job_contents.workspace_id", "=", wanted.workspaceId),
);

/** Excludes jobs of the run itself, and jobs already taken over by the run. */
function equalTo(db: Connection, { contentsKey, runId }: Omit<WantedContents, "workspaceId">) {
  const takenOver = db.selectFrom("jobs").select("taken_from").where("run_id", "=", runId);
  return newestOf(db)
    .where("job_contents.contents_key", "=", contentsKey)
    .where("jobs.run_id", "!=", runId)
    .where(
      "job_contents.job_id",
      "not in",
      takenOver.where("taken_from", "is not", null).$castTo<{ taken_from: string }>(),
    )
    .limit(EQUAL_MAX);
}

function newestIn(db: Connection, workspaceId: string) {
  return newestOf(db).where("job_contents.workspace_id", "=", workspaceId);
}

function newestOf(db: Connection) {
  return db
    .selectFrom("job_contents")
    .innerJoin("jobs", "jobs.id", "job_contents.job_id")
    .innerJoin("runs", "runs.id", "jobs.run_id")
    .select(SELECTED)
    .orderBy("job_contents.created_at", "desc");
}

const SELECTED = [
  "job_contents.job_id",
  "job_contents.workspace_id",
  "job_contents.contents_key",
  "job_contents.body",
  "job_contents.created_at",
  "runs.name",
  "runs.run_major",
  "runs.run_minor",
] as const;

interface SelectedRow {
  readonly job_id: string;
  readonly workspace_id: string;
  readonly contents_key: string;
  readonly body: string;
  readonly created_at: number;
  readonly name: string;
  readonly run_major: number;
  readonly run_minor: number;
}

function toReusable(row: SelectedRow): ReusableJobRow {
  return {
    jobId: row.job_id,
    workspaceId: row.workspace_id,
    contentsKey: row.contents_key,
    body: row.body,
    createdAtMs: row.created_at,
    run: { name: row.name, runMajor: row.run_major, runMinor: row.run_minor },
  };
}

const COPIED_AT_ONCE = 200;

/**
 * Copies the contents of all jobs of a workspace into a copied workspace. `moved` returns each body for the
 * copied files.
 */
export async function copyJobContents(
  db: Connection,
  { from, to }: { readonly from: string; readonly to: string },
  moved: (body: string) => string,
): Promise<void> {
  let after = "";
  for (;;) {
    const rows = await db
      .selectFrom("job_contents")
      .selectAll()
      .where("workspace_id", "=", from)
      .where("job_id", ">", after)
      .orderBy("job_id")
      .limit(COPIED_AT_ONCE)
      .execute();
    if (rows.length === 0) return;
    const copies = rows.map((row) => ({ ...row, workspace_id: to, body: moved(row.body) }));
    await insertRows(db, copies);
    after = rows.at(-1)!.job_id;
  }
}

/** Deletes the contents of the jobs whose files were in a workspace. */
export async function forgetJobContents(db: Connection, workspaceId: string): Promise<void> {
  await db.deleteFrom("job_contents").where("workspace_id", "=", workspaceId).execute();
}
