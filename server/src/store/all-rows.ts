import { sql } from "kysely";
import { adapterOf } from "#store/adapter";
import { type Connection, migrateWithin, transaction } from "#store/database";
import { databaseTime } from "#store/database-time";
import { type Migration, migrations } from "#store/migrations/index";
import type { Tables } from "#store/tables";
import { changeStatus } from "#store/workflow-status";
import { requestStop } from "#store/workflows";

/**
 * Everything that the database holds, row by row, in a form that both databases take: for backups. The tables with what
 * tells their rows apart, in an order in which they can be filled: what is referred to comes first.
 */
const KEYS = {
  users: ["id"],
  tokens: ["id"],
  workspaces: ["id"],
  workflows: ["seq"],
  workflow_definitions: ["workflow_seq"],
  workflow_counts: ["owner_id", "status"],
  hosts: ["id"],
  secrets: ["id"],
  retention_rules: ["id"],
  run_events: ["workflow_id", "seq"],
  run_snapshots: ["workflow_id"],
  run_outputs: ["workflow_id"],
  run_results: ["workflow_id"],
  reruns: ["workflow_id"],
  jobs: ["id"],
  job_traces: ["job_id"],
  kept_answers: ["user_id", "key"],
} satisfies Record<Exclude<keyof Tables, "migrations">, readonly string[]>;

export type Table = keyof typeof KEYS;
export const TABLES = Object.keys(KEYS) as Table[];

/** As the database has it: texts, numbers and nulls. */
export type Row = Readonly<Record<string, string | number | null>>;

const PAGE_ROWS = 200;
/** A row of these may have megabytes. */
const LARGE: ReadonlySet<Table> = new Set([
  "workflow_definitions",
  "run_snapshots",
  "job_traces",
  "run_results",
  "reruns",
  "kept_answers",
]);
const LARGE_PAGE_ROWS = 10;

/** All rows of a table, page by page. None of one that an earlier version of the program has not made yet. */
export async function* rowsOf(db: Connection, table: Table): AsyncGenerator<readonly Row[]> {
  const present = await db.introspection.getTables();
  if (!present.some(({ name }) => name === table)) return;
  const limit = LARGE.has(table) ? LARGE_PAGE_ROWS : PAGE_ROWS;
  let last: Row | undefined;
  do {
    const rows = await pageAfter(db, table, last, limit);
    if (rows.length > 0) yield rows;
    last = rows.length === limit ? rows.at(-1) : undefined;
  } while (last);
}

async function pageAfter(
  db: Connection,
  table: Table,
  last: Row | undefined,
  limit: number,
): Promise<readonly Row[]> {
  const key = sql.join(KEYS[table].map((column) => sql.ref(column)));
  const after = last && sql`where (${key}) > (${sql.join(KEYS[table].map((column) => last[column]))})`;
  const page = sql<Row>`select * from ${sql.table(table)} ${after ?? sql``} order by ${key} limit ${sql.lit(limit)}`;
  return (await page.execute(db)).rows;
}

/** The names of the changes of the tables that have been made. */
export async function migrationNames(db: Connection): Promise<readonly string[]> {
  const rows = await db.selectFrom("migrations").select("name").orderBy("name").execute();
  return rows.map(({ name }) => name);
}

/** Those of the runs that are deleted by now. */
export async function deletedRuns(db: Connection): Promise<readonly string[]> {
  const rows = await db.selectFrom("workflows").select("id").where("status", "=", "deleted").execute();
  return rows.map(({ id }) => id);
}

export interface CopiedDatabase {
  /** The changes of the tables that had been made when the rows were read. */
  readonly migrations: readonly string[];
  /** Runs that were deleted while their files were being copied. */
  readonly deletedMeanwhile: readonly string[];
  rows(table: Table): AsyncIterable<readonly Row[]>;
}

/**
 * Fills an empty database: the tables as they were then, their rows, and the changes of the tables since. It becomes one
 * of its own: the hosts of the original are not its hosts, so that it neither waits for their jobs nor takes them for
 * its own. All of it is one transaction.
 */
export async function fillDatabase(db: Connection, copy: CopiedDatabase, atMs: number): Promise<void> {
  await transaction(db, async (connection) => {
    await migrateWithin(connection, asOf(copy.migrations));
    for (const table of TABLES) {
      for await (const rows of copy.rows(table)) await putRows(connection, table, rows);
    }
    await adapterOf(connection).numberAfter(connection);
    await migrateWithin(connection);
    await connection
      .updateTable("hosts")
      .set({ seen_at: 0, declared_lost_at: databaseTime(connection) })
      .execute();
    for (const workflowId of copy.deletedMeanwhile) await deleteRun(connection, workflowId, atMs);
  });
}

function asOf(names: readonly string[]): Record<string, Migration> {
  return Object.fromEntries(names.map((name) => [name, migrations[name]!]));
}

async function putRows(db: Connection, table: Table, rows: readonly Row[]): Promise<void> {
  await db.insertInto(table).values(rows).execute();
}

/** One that was still live when the rows were read cannot be deleted before it has been stopped: its owner sees it so. */
async function deleteRun(db: Connection, workflowId: string, atMs: number): Promise<void> {
  const isDeleted = await changeStatus(db, { workflowId, to: "deleted", by: "user", atMs });
  if (!isDeleted) await requestStop(db, workflowId, atMs);
}
