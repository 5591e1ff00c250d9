import { adapterOf } from "#store/database/adapter";
import { type Row, type Table, TABLES } from "#store/database/all-rows";
import { type Connection, migrateWithin, transaction } from "#store/database/database";
import { databaseTime } from "#store/database/database-time";
import { type Migration, migrations } from "#store/migrations/index";
import { moveRun } from "#store/runs/move-run";
import { requestStop } from "#store/runs/runs";

export interface CopiedDatabase {
  /** The migrations that had been applied when the rows were read. */
  readonly migrations: readonly string[];
  /** Runs deleted during the copy of their files. */
  readonly deletedMeanwhile: readonly string[];
  rows(table: Table): AsyncIterable<readonly Row[]>;
}

/**
 * Fills an empty database in one transaction: creates the tables as of the backup, inserts the rows, then
 * applies the later migrations. All hosts of the original are marked as lost, so servers of the
 * restored database neither wait for the jobs of these hosts nor claim the jobs.
 */
export async function fillDatabase(
  db: Connection,
  copy: CopiedDatabase,
  atMs: number,
  known: Readonly<Record<string, Migration>> = migrations,
): Promise<void> {
  await transaction(db, async (connection) => {
    const then = Object.fromEntries(copy.migrations.map((name) => [name, known[name]!]));
    await migrateWithin(connection, then);
    for (const table of TABLES) {
      for await (const rows of copy.rows(table)) await putRows(connection, table, rows);
    }
    await adapterOf(connection).numberAfter(connection);
    await migrateWithin(connection, known);
    await connection
      .updateTable("hosts")
      .set({ seen_at: 0, declared_lost_at: databaseTime(connection) })
      .execute();
    for (const runId of copy.deletedMeanwhile) await deleteRun(connection, runId, atMs);
  });
}

async function putRows(db: Connection, table: Table, rows: readonly Row[]): Promise<void> {
  await db.insertInto(table).values(rows).execute();
}

/** Deletes a run. A run recorded as live can only be stopped: the owner sees the run with a stop request. */
async function deleteRun(db: Connection, runId: string, atMs: number): Promise<void> {
  const isDeleted = await moveRun(db, { runId, to: "deleted", by: "user", atMs });
  if (!isDeleted) await requestStop(db, runId, atMs);
}
