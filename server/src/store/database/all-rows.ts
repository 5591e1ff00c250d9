import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import type { Tables } from "#store/database/tables";

/**
 * Key columns of each table, for backups. A backup copies all rows in a form accepted by both dialects.
 * Referenced tables come first, so tables can be filled in this order.
 */
const KEYS = {
  users: ["id"],
  identities: ["issuer", "subject"],
  announcements: ["id"],
  tokens: ["id"],
  quotas: ["user_id"],
  usage_days: ["user_id", "day"],
  workspaces: ["id"],
  runs: ["seq"],
  run_definitions: ["run_seq"],
  run_notes: ["run_seq"],
  run_tags: ["run_seq", "tag"],
  run_counts: ["owner_id", "status"],
  hosts: ["id"],
  secrets: ["id"],
  retention_rules: ["id"],
  run_events: ["run_id", "seq"],
  run_snapshots: ["run_id"],
  run_outputs: ["run_id"],
  run_results: ["run_id"],
  run_files: ["run_seq", "position"],
  run_file_chunks: ["owner_id", "chunk", "run_seq", "position"],
  reruns: ["run_id"],
  verifications: ["run_id"],
  shadows: ["run_id"],
  publications: ["run_id"],
  notebooks: ["run_id"],
  ended_notebooks: ["id"],
  notifications: ["id"],
  deliveries: ["notification_id", "run_id", "status"],
  report_schedules: ["interval"],
  jobs: ["id"],
  job_stamps: ["job_id"],
  job_contents: ["workspace_id", "job_id"],
  run_nodes: ["run_id", "node"],
  run_drawings: ["run_id", "seq"],
  idempotency_keys: ["user_id", "key"],
  groups: ["id"],
  group_members: ["user_id", "group_id"],
  policies: ["group_id"],
  run_shares: ["grantee_id", "run_seq"],
} satisfies Record<Exclude<keyof Tables, "migrations">, readonly string[]>;

export type Table = keyof typeof KEYS;
export const TABLES = Object.keys(KEYS) as Table[];

/** A row as the database stores it: texts, numbers and nulls. */
export type Row = Readonly<Record<string, string | number | null>>;

/** Returns the columns identifying a row. */
export function keyOf(table: Table): readonly string[] {
  return KEYS[table];
}

const PAGE_ROWS = 200;
/** Tables whose rows may be megabytes in size. */
const LARGE: ReadonlySet<Table> = new Set([
  "run_definitions",
  "run_snapshots",
  "job_stamps",
  "job_contents",
  "run_results",
  "reruns",
  "idempotency_keys",
]);
const LARGE_PAGE_ROWS = 10;

/** Yields all rows of a table, page by page. Yields nothing if an earlier version has not created the table yet. */
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

/** Returns the names of the migrations that have been applied. */
export async function migrationNames(db: Connection): Promise<readonly string[]> {
  const rows = await db.selectFrom("migrations").select("name").orderBy("name").execute();
  return rows.map(({ name }) => name);
}

/** Returns the ids of all deleted runs. */
export async function deletedRuns(db: Connection): Promise<readonly string[]> {
  const rows = await db.selectFrom("runs").select("id").where("status", "=", "deleted").execute();
  return rows.map(({ id }) => id);
}
