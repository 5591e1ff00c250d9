import { mkdir } from "node:fs/promises";
import { writeChecked } from "#backup/checked-file";
import { backupPaths, type Content, type Manifest } from "#backup/manifest";
import { migrationNames, type Row, rowsOf, type Table, TABLES } from "#store/database/all-rows";
import { type Connection, inspectDatabase, OtherDatabaseError, snapshot } from "#store/database/database";
import { isLive, type RunStatus } from "#workflow/run/run-status";

/** Copied rows, with the information that decides which files belong to the backup. */
export interface CopiedRows extends Pick<Manifest, "tables" | "migrations"> {
  /** Ids of runs without the status `deleted`. */
  readonly kept: ReadonlySet<string>;
  readonly live: readonly string[];
  /** Workspaces of the kept runs. */
  readonly workspaces: ReadonlySet<string>;
}

/** Copies all rows of one database snapshot, a row per line. */
export async function copyRows(db: Connection, backup: string): Promise<CopiedRows> {
  const { unknown } = await inspectDatabase(db);
  if (unknown.length > 0) throw new OtherDatabaseError(unknown);
  const paths = backupPaths(backup);
  await mkdir(paths.database, { mode: 0o700 });
  const runs = { kept: new Set<string>(), live: [] as string[], workspaces: new Set<string>() };
  const notice = (row: Row) => {
    const [id, status] = [String(row["id"]), row["status"] as RunStatus];
    if (status === "deleted") return;
    runs.kept.add(id);
    runs.workspaces.add(String(row["workspace_id"]));
    if (isLive(status)) runs.live.push(id);
  };
  return snapshot(db, async (connection) => {
    const tables: Partial<Record<Table, Content & { readonly rows: number }>> = {};
    const migrations = await migrationNames(connection);
    for (const table of TABLES) {
      let count = 0;
      const lines = async function* () {
        for await (const rows of rowsOf(connection, table)) {
          if (table === "runs") rows.forEach(notice);
          count += rows.length;
          yield rows.map((row) => `${JSON.stringify(row)}\n`).join("");
        }
      };
      const content = await writeChecked(paths.rows(table), lines());
      tables[table] = { rows: count, ...content };
    }
    return { tables, migrations, ...runs };
  });
}
