import pg from "pg";
import type {
  ReanaJob,
  ReanaLog,
  ReanaProject,
  ReanaRule,
  ReanaShare,
  ReanaToken,
  ReanaUser,
  ReanaWorkflow,
} from "#store/reana/reana-rows";
import { type Columns, missingColumns, type ReanaTable, selectFrom } from "#store/reana/reana-tables";

/** A database of REANA, read in one read-only transaction: all rows are of one moment, and nothing is changed. */
export interface ReanaDatabase {
  /** The migration that the tables stand at, by Alembic's number. */
  readonly revision: string | undefined;
  users(): Promise<ReanaUser[]>;
  tokens(): Promise<ReanaToken[]>;
  /** Returns the paths of the workspaces in which a workflow has not ended. */
  busyWorkspaces(): Promise<string[]>;
  /** Yields the workflows in order of creation, in pages: all, or those that have changed since a time, with all others in their workspaces. */
  workflows(sinceMs?: number): AsyncGenerator<readonly ReanaWorkflow[]>;
  /** Returns the projects of GitLab whose hooks have started workflows. */
  projects(): Promise<ReanaProject[]>;
  /** Returns the workspaces of several workflows: by path, the id of the oldest one. */
  sharedWorkspaces(): Promise<ReadonlyMap<string, string>>;
  /** Returns the jobs of workflows in order of creation. */
  jobs(workflowIds: readonly string[]): Promise<ReanaJob[]>;
  /** Yields the logs of jobs, a few megabytes at a time. */
  logs(jobs: readonly Pick<ReanaJob, "id" | "logBytes">[]): AsyncGenerator<ReanaLog>;
  rules(workflowIds: readonly string[]): Promise<ReanaRule[]>;
  shares(workflowIds: readonly string[]): Promise<ReanaShare[]>;
  close(): Promise<void>;
}

/** Thrown if the database is not one of REANA, or of a version with other tables. */
export class ReanaDatabaseError extends Error {
  override readonly name = "ReanaDatabaseError";
}

/** A page has to fit into memory, with the logs of its workflows. */
const WORKFLOWS_AT_ONCE = 200;
/** Logs have several megabytes at times. */
const LOG_BYTES_AT_ONCE = 4 * 2 ** 20;

export async function openReanaDatabase(url: string): Promise<ReanaDatabase> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("begin transaction isolation level repeatable read read only");
    const columns = await columnsOf(client);
    refuseOtherTables(columns);
    return await readerOf(client, columns);
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function columnsOf(client: pg.Client): Promise<Columns> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = '__reana'`,
  );
  return new Set(rows.map(({ name }) => name));
}

function refuseOtherTables(columns: Columns): void {
  if (columns.size === 0)
    throw new ReanaDatabaseError(
      "The database has no schema __reana: it is not a database of REANA 0.9 or later.",
    );
  const missing = missingColumns(columns);
  if (missing.length > 0)
    throw new ReanaDatabaseError(
      `The database of REANA lacks ${missing.join(", ")}. Complete its migration with \`reana-db alembic upgrade\`.`,
    );
}

async function readerOf(client: pg.Client, columns: Columns): Promise<ReanaDatabase> {
  const read = async <Row extends pg.QueryResultRow>(
    table: ReanaTable,
    rest: string,
    values: unknown[] = [],
  ) => {
    const query = selectFrom(table, columns);
    return query === undefined ? [] : (await client.query<Row>(`${query} ${rest}`, values)).rows;
  };
  /** Reads the order once: REANA has no index of the times of creation, but one of the ids. */
  async function* workflows(sinceMs?: number) {
    const chosen = sinceMs === undefined ? "" : changedSince(columns);
    const order = `select id_::text as id from __reana.workflow ${chosen} order by created, id_`;
    const values = sinceMs === undefined ? [] : [sinceMs / 1000];
    const ids = (await client.query<{ id: string }>(order, values)).rows.map(({ id }) => id);
    for (let first = 0; first < ids.length; first += WORKFLOWS_AT_ONCE) {
      const page = ids.slice(first, first + WORKFLOWS_AT_ONCE);
      yield await read<ReanaWorkflow>("workflow", "where id_ = any($1::uuid[]) order by created, id_", [
        page,
      ]);
    }
  }
  return {
    revision: columns.has("alembic_version.version_num") ? await revisionOf(client) : undefined,
    users: () => read("user_", "order by created, id_"),
    tokens: () => read("user_token", "order by created, id_"),
    busyWorkspaces: async () => (await client.query<{ path: string }>(BUSY)).rows.map(({ path }) => path),
    workflows,
    projects: async () =>
      columns.has("workflow.git_repo") ? (await client.query<ReanaProject>(PROJECTS)).rows : [],
    async sharedWorkspaces() {
      const { rows } = await client.query<{ path: string; id: string }>(SHARED);
      return new Map(rows.map(({ path, id }) => [path, id]));
    },
    jobs: (ids) => read("job", "where workflow_uuid = any($1::uuid[]) order by created, id_", [ids]),
    logs: (jobs) => logsOf(client, jobs),
    rules: (ids) =>
      read("workspace_retention_rule", "where workflow_id = any($1::uuid[]) order by id_", [ids]),
    shares: (ids) => read("user_workflow", "where workflow_id = any($1::uuid[]) order by user_id", [ids]),
    close: () => client.end(),
  };
}

/** Early versions of REANA 0.9 have no index of the jobs of a workflow, but all versions have one of their ids. */
async function* logsOf(client: pg.Client, jobs: readonly Pick<ReanaJob, "id" | "logBytes">[]) {
  const query = `select id_::text as "jobId", logs as log from __reana.job where id_ = any($1::uuid[])`;
  for (const ids of portionsOf(jobs)) yield* (await client.query<ReanaLog>(query, [ids])).rows;
}

/** Returns the ids of jobs with a log, in portions. */
function portionsOf(jobs: readonly Pick<ReanaJob, "id" | "logBytes">[]): readonly string[][] {
  const portions: string[][] = [];
  let bytes = Infinity;
  for (const { id, logBytes } of jobs) {
    if (!logBytes) continue;
    if (bytes + logBytes > LOG_BYTES_AT_ONCE) {
      portions.push([]);
      bytes = 0;
    }
    portions.at(-1)!.push(id);
    bytes += logBytes;
  }
  return portions;
}

const SHARED = `select workspace_path as path, (array_agg(id_::text order by created, id_))[1] as id
  from __reana.workflow where workspace_path is not null group by workspace_path having count(*) > 1`;
const BUSY = `select distinct coalesce(workspace_path, id_::text) as path from __reana.workflow
  where status::text in ('queued', 'pending', 'running')`;

const PROJECTS = `select distinct git_repo as project, owner_id::text as "userId" from __reana.workflow
  where git_repo <> '' order by 1, 2`;

/** REANA notes each change of a workflow in `updated`. The other times are read too, because a statement of an administrator may not. */
const CHANGES = ["updated", "created", "run_started_at", "run_finished_at", "run_stopped_at"];

/**
 * Selects the workflows that have changed, and all others in their workspaces: an earlier import left these out while a run in
 * the workspace had not ended.
 */
function changedSince(columns: Columns): string {
  const times = CHANGES.filter((name) => columns.has(`workflow.${name}`));
  const path = "coalesce(workspace_path, id_::text)";
  return `where ${path} in (select ${path} from __reana.workflow
    where greatest(${times.join(", ")}) >= to_timestamp($1) at time zone 'utc')`;
}

async function revisionOf(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ version_num: string }>(
    "select version_num from __reana.alembic_version",
  );
  return rows[0]?.version_num;
}
