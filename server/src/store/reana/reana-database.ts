import pg from "pg";
import type {
  ReanaJob,
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
  /** Yields the workflows in order of creation, in pages. */
  workflows(): AsyncGenerator<readonly ReanaWorkflow[]>;
  /** Yields the jobs of a workflow in order of creation, in pages. */
  jobs(workflowId: string): AsyncGenerator<readonly ReanaJob[]>;
  rules(workflowId: string): Promise<ReanaRule[]>;
  shares(workflowId: string): Promise<ReanaShare[]>;
  close(): Promise<void>;
}

/** Thrown if the database is not one of REANA, or of a version with other tables. */
export class ReanaDatabaseError extends Error {
  override readonly name = "ReanaDatabaseError";
}

/** Logs have several megabytes at times, and a page has to fit into memory. */
const WORKFLOWS_AT_ONCE = 50;
const JOBS_AT_ONCE = 100;

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
  /** Yields rows by creation. The time of the last row is kept as text, because a number would round it. */
  async function* pages<Row extends pg.QueryResultRow>(
    table: ReanaTable,
    where: string,
    values: unknown[],
    size: number,
  ) {
    const rest = `where (created, id_) > ($1::timestamp, $2::uuid) and ${where} order by created, id_ limit ${size}`;
    for (let last: Position = { created_text: "-infinity", id: NO_ID }; ;) {
      const page = await read<Row & Position>(table, rest, [last.created_text, last.id, ...values]);
      if (page.length > 0) yield page as readonly Row[];
      if (page.length < size) return;
      last = page.at(-1)!;
    }
  }
  return {
    revision: columns.has("alembic_version.version_num") ? await revisionOf(client) : undefined,
    users: () => read("user_", "order by created, id_"),
    tokens: () => read("user_token", "order by created, id_"),
    busyWorkspaces: async () => (await client.query<{ path: string }>(BUSY)).rows.map(({ path }) => path),
    workflows: () => pages("workflow", "true", [], WORKFLOWS_AT_ONCE),
    jobs: (id) => pages("job", "workflow_uuid = $3", [id], JOBS_AT_ONCE),
    rules: (id) => read("workspace_retention_rule", "where workflow_id = $1 order by id_", [id]),
    shares: (id) => read("user_workflow", "where workflow_id = $1 order by user_id", [id]),
    close: () => client.end(),
  };
}

const BUSY = `select distinct coalesce(workspace_path, id_::text) as path from __reana.workflow
  where status::text in ('queued', 'pending', 'running')`;

interface Position {
  readonly created_text: string;
  readonly id: string;
}

const NO_ID = "00000000-0000-0000-0000-000000000000";

async function revisionOf(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ version_num: string }>(
    "select version_num from __reana.alembic_version",
  );
  return rows[0]?.version_num;
}
