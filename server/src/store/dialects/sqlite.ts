import SqliteDatabase from "better-sqlite3";
import {
  type CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
  sql,
} from "kysely";
import { type Clock, systemClock } from "#plumbing/clock";
import { codeOf } from "#plumbing/errors";
import type { Differences, StoreAdapter } from "#store/adapter";
import type { Connection } from "#store/connection";
import { EmittedWakeUps } from "#store/dialects/emitted-wake-ups";
import type { Tables } from "#store/tables";

export type Durability = "normal" | "full";

/** How long a write waits for another process that writes (a backup, an administrator's command). */
const BUSY_TIMEOUT_MS = 5000;

/**
 * How large the write-ahead log grows before it is copied into the database, in pages of 4 KiB. A new workflow
 * touches 12 of them, mostly the same ones as the last, so copying less often copies less. Measured, microseconds for
 * a creation with 100,000 stored workflows:
 *
 *   pages              mean   median    99 %   99.9 %   longest
 *   1000 (default)      248      120    6742     9009    10,909
 *   4000                206      112     456   21,629    23,610
 *   16,000              174      112     318     1457    70,607
 */
const CHECKPOINT_PAGES = 4000;

/**
 * SQLite in write-ahead mode. `normal` survives the death of the process at any moment; `full` also a power cut, at
 * the price of an fsync for each commit (1.5-7 ms, measured).
 */
export function openSqlite(file: string, durability: Durability, clock: Clock = systemClock): Connection {
  const sqlite = openFile(file, durability);
  sqlite.function(NOW_MS, { deterministic: false }, () => clock.now());
  const wakeUps = new EmittedWakeUps();
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new Adapter(wakeUps),
      createDriver: () => new Driver(sqlite, wakeUps),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

function openFile(file: string, durability: Durability): SqliteDatabase.Database {
  const sqlite = new SqliteDatabase(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    writeAhead(sqlite);
    sqlite.pragma(`synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
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
 * The switch to write-ahead mode, made once in the life of a file, does not wait for another process that is just
 * making it, but says that the file is busy. A transaction does wait.
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

/** All who share the database are one process of this machine, so that its clock is the database's. */
const NOW_MS = "reprise_now_ms";

const DIFFERENCES: Differences = {
  locksRows: false,
  columns: { rowNumber: "integer", numbered: (column) => column },
};

class Adapter extends SqliteAdapter implements StoreAdapter {
  readonly fixedQueries = new Map<unknown, CompiledQuery>();
  readonly nowMs = sql<number>`${sql.raw(NOW_MS)}()`;
  readonly differences = DIFFERENCES;
  readonly wakeUps: EmittedWakeUps;

  constructor(wakeUps: EmittedWakeUps) {
    super();
    this.wakeUps = wakeUps;
  }

  /** A transaction waits for its turn at its beginning; what goes wrong then goes wrong again. */
  attempt<Result>(transaction: () => Promise<Result>): Promise<Result> {
    return transaction();
  }

  /** Whoever began a transaction is alone with the file. */
  async beginMigration(): Promise<void> {}
}

class Driver extends SqliteDriver {
  readonly #sqlite: SqliteDatabase.Database;
  readonly #wakeUps: EmittedWakeUps;

  constructor(sqlite: SqliteDatabase.Database, wakeUps: EmittedWakeUps) {
    super({ database: withStatementCache(sqlite) });
    this.#sqlite = sqlite;
    this.#wakeUps = wakeUps;
  }

  /** Takes the write lock at once: one that reads first and writes then fails when another has written in between. */
  override async beginTransaction(): Promise<void> {
    this.#sqlite.exec("begin immediate");
  }

  override async commitTransaction(): Promise<void> {
    this.#sqlite.exec("commit");
    this.#wakeUps.committed();
  }

  /** On some errors, a full disk for one, SQLite has rolled back by itself. */
  override async rollbackTransaction(): Promise<void> {
    this.#wakeUps.rolledBack();
    if (this.#sqlite.inTransaction) this.#sqlite.exec("rollback");
  }
}

/** Preparing costs as much as running for small queries; the texts that the store makes are few, so they are kept. */
const STATEMENTS_KEPT = 500;

function withStatementCache(sqlite: SqliteDatabase.Database) {
  const kept = new Map<string, SqliteStatement>();
  return {
    close: () => void sqlite.close(),
    prepare(text: string): SqliteStatement {
      const known = kept.get(text);
      if (known) return known;
      const statement = sqlite.prepare(text) as unknown as SqliteStatement;
      const [oldest] = kept.keys();
      if (kept.size >= STATEMENTS_KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(text, statement);
      return statement;
    },
  };
}
