import { closeSync, openSync, realpathSync } from "node:fs";
import SqliteDatabase from "better-sqlite3";
import { Kysely, SqliteAdapter, SqliteIntrospector, sql } from "kysely";
import { type Clock, systemClock } from "#plumbing/clock";
import { codeOf } from "#plumbing/errors";
import type { Differences, StoreAdapter } from "#store/database/adapter";
import type { Connection } from "#store/database/connection";
import type { CompiledOnce } from "#store/database/fixed-query";
import { pipelineTransactions, PlansOnce } from "#store/database/kysely-hooks";
import { DatabaseLoad } from "#store/database/load";
import { EmittedWakeUps } from "#store/dialects/emitted-wake-ups";
import { UndoneWithOthersError } from "#store/dialects/shared-commits";
import { SharedSync, type SyncFile } from "#store/dialects/shared-sync";
import { isFull } from "#store/dialects/sqlite-connection";
import { SqliteDriver } from "#store/dialects/sqlite-driver";
import type { Tables } from "#store/database/tables";

export type Durability = "normal" | "full";

/** Limit for a write that waits for another writing process (a backup, an administrator's command). */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Size at which the write-ahead log is copied into the database, in pages of 4 KiB. A new run touches 12 pages,
 * mostly the same as the one before, so copying less often copies less. Measured, microseconds for a creation with
 * 100,000 stored runs:
 *
 *   pages              mean   median    99 %   99.9 %   longest
 *   1000 (default)      248      120    6742     9009    10,909
 *   4000                206      112     456   21,629    23,610
 *   16,000              174      112     318     1457    70,607
 */
const CHECKPOINT_PAGES = 4000;

export interface SqliteParts {
  readonly syncFile?: SyncFile | undefined;
  /** Called when the disk has refused a write, before the write is repeated. By default does nothing. */
  readonly onFull?: (() => void) | undefined;
}

/**
 * Opens SQLite in write-ahead mode. `normal` survives the death of the process at any moment. `full` also survives a
 * power cut: a write returns after a sync (1.5-7 ms, measured) that is shared by all concurrent writers.
 */
export function openSqlite(
  file: string,
  durability: Durability,
  clock: Clock = systemClock,
  { syncFile, onFull }: SqliteParts = {},
): Connection {
  const sqlite = openFile(file);
  sqlite.function(NOW_MS, { deterministic: false }, () => clock.now());
  const wakeUps = new EmittedWakeUps();
  const load = new DatabaseLoad();
  const sync = durability === "full" ? sharedSync(sqlite, syncFile) : undefined;
  const driver = new SqliteDriver(sqlite, { wakeUps, load, clock, onFull }, sync);
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new Adapter(wakeUps, load),
      createDriver: () => driver,
      createIntrospector: (on) => new SqliteIntrospector(on),
      createQueryCompiler: () => new PlansOnce(),
    },
  });
  pipelineTransactions(db);
  return db;
}

/**
 * Only the user of the server may read a new file, despite the folder's permissions. SQLite's other files get
 * the same mode.
 */
function openFile(file: string): SqliteDatabase.Database {
  if (file !== ":memory:") closeSync(openSync(file, "a", 0o600));
  const sqlite = new SqliteDatabase(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    writeAhead(sqlite);
    sqlite.pragma("synchronous = NORMAL");
    sqlite.pragma("foreign_keys = ON");
    sqlite.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

const WRITE_AHEAD_ATTEMPTS = 10;

/**
 * Switches the file to write-ahead mode, which happens once in the life of a file. The switch does not wait for another
 * process that is making it, but fails as busy. A transaction does wait.
 */
function writeAhead(sqlite: SqliteDatabase.Database): void {
  for (let left = WRITE_AHEAD_ATTEMPTS; ; left -= 1) {
    try {
      sqlite.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      if (codeOf(error) !== "SQLITE_BUSY" || left === 0) throw error;
      sqlite.exec("begin immediate; rollback");
    }
  }
}

/**
 * Creates the sync for `full`, after a checkpoint. The log of an earlier server was read from memory, where the pages of
 * a failed write look like any others. Copying them into the database and syncing that puts them on the disk. The
 * checkpoint also creates the log file if there was none. The log is next to the database itself, not next to a link to
 * it.
 */
function sharedSync(sqlite: SqliteDatabase.Database, syncFile: SyncFile | undefined): SharedSync {
  try {
    sqlite.pragma("wal_checkpoint(TRUNCATE)");
    return new SharedSync(`${realpathSync(sqlite.name)}-wal`, syncFile);
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/** Name of the SQL function for the current time. All users of the database share a machine and its clock. */
const NOW_MS = "reprise_now_ms";

const DIFFERENCES: Differences = {
  locksRows: false,
  columns: { rowNumber: "integer", numbered: (column) => column },
  greatest: "max",
  givenRow: (columns, values) => {
    const given = values as Readonly<Record<string, unknown>>;
    const selected = Object.keys(columns).map((name) => sql`${given[name]} as ${sql.ref(name)}`);
    return sql`(select ${sql.join(selected)}) as given`;
  },
  givenRows: (columns, rows) => {
    const selected = Object.keys(columns).map((name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`);
    return sql`(select ${sql.join(selected)} from json_each(${rows})) as given`;
  },
  storedText: (text) => text,
};

class Adapter extends SqliteAdapter implements StoreAdapter {
  readonly fixedQueries = new Map<unknown, CompiledOnce>();
  readonly nowMs = sql<number>`${sql.raw(NOW_MS)}()`;
  readonly differences = DIFFERENCES;
  readonly wakeUps: EmittedWakeUps;
  readonly load: DatabaseLoad;

  constructor(wakeUps: EmittedWakeUps, load: DatabaseLoad) {
    super();
    this.load = load;
    this.wakeUps = wakeUps;
  }

  /**
   * True, because Kysely would otherwise delay each transaction until the previous commit, and transactions
   * could never share a commit.
   */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /**
   * Runs a transaction, which waits for a turn at its start. Repeats the transaction if its group was undone,
   * and once after a full disk, because the driver has freed space.
   */
  async attempt<Result>(transaction: () => Promise<Result>): Promise<Result> {
    for (let wasFull = false; ;) {
      try {
        return await transaction();
      } catch (error) {
        const isRepeatable = error instanceof UndoneWithOthersError || (isFull(error) && !wasFull);
        if (!isRepeatable) throw error;
        wasFull ||= isFull(error);
      }
    }
  }

  /** Counts the pages of the database, without its write-ahead log. */
  async bytes(db: Connection): Promise<number> {
    const size = sql<{
      bytes: number;
    }>`select page_count * page_size as bytes from pragma_page_count, pragma_page_size`;
    return (await size.execute(db)).rows[0]!.bytes;
  }

  /** Does nothing: a transaction has the file to itself. */
  async beginMigration(): Promise<void> {}

  /** Does nothing, because SQLite numbers a new row after the largest number. */
  async numberAfter(): Promise<void> {}
}
