import SqliteDatabase from "better-sqlite3";
import {
  type CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from "kysely";
import type { Connection } from "#store/database";
import type { KeepsFixedQueries } from "#store/fixed-query";
import type { Tables } from "#store/tables";

export type Durability = "normal" | "full";

/** How long a write waits for another process that writes (a backup, an administrator's command). */
const BUSY_TIMEOUT_MS = 5000;

/**
 * How large the write-ahead log grows before it is copied into the database, in pages of 4 KiB. A new workflow
 * touches 12 pages, mostly the same ones as the last, so copying less often copies less. Measured, 100,000 stored
 * workflows, microseconds a creation and the longest one: 1000 pages (SQLite's default) 240 and 15 ms, 4000 pages 195
 * and 50 ms, 16,000 pages 150 and 70 ms.
 */
const CHECKPOINT_PAGES = 4000;

/**
 * SQLite in write-ahead mode. `normal` survives the death of the process at any moment; `full` also a power cut, at
 * the price of an fsync for each commit (1.5-7 ms, measured).
 */
export function openSqlite(file: string, durability: Durability): Connection {
  const sqlite = new SqliteDatabase(file, { timeout: BUSY_TIMEOUT_MS });
  sqlite.pragma("journal_mode = WAL");
  sqlite.pragma(`synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
  sqlite.pragma("foreign_keys = ON");
  sqlite.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new Adapter(),
      createDriver: () => new Driver(sqlite),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

class Adapter extends SqliteAdapter implements KeepsFixedQueries {
  readonly fixedQueries = new Map<unknown, CompiledQuery>();
}

class Driver extends SqliteDriver {
  readonly #sqlite: SqliteDatabase.Database;

  constructor(sqlite: SqliteDatabase.Database) {
    super({ database: withStatementCache(sqlite) });
    this.#sqlite = sqlite;
  }

  /** Takes the write lock at once: one that reads first and writes then fails when another has written in between. */
  override async beginTransaction(): Promise<void> {
    this.#sqlite.exec("begin immediate");
  }

  override async commitTransaction(): Promise<void> {
    this.#sqlite.exec("commit");
  }

  /** On some errors, a full disk for one, SQLite has rolled back by itself. */
  override async rollbackTransaction(): Promise<void> {
    if (this.#sqlite.inTransaction) this.#sqlite.exec("rollback");
  }
}

/** Preparing costs as much as running for small queries; the texts that the store makes are few, so they are kept. */
const STATEMENTS_KEPT = 500;

function withStatementCache(sqlite: SqliteDatabase.Database) {
  const kept = new Map<string, SqliteStatement>();
  return {
    close: () => void sqlite.close(),
    prepare(sql: string): SqliteStatement {
      const known = kept.get(sql);
      if (known) return known;
      const statement = sqlite.prepare(sql) as unknown as SqliteStatement;
      const [oldest] = kept.keys();
      if (kept.size >= STATEMENTS_KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(sql, statement);
      return statement;
    },
  };
}
