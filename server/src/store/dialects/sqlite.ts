import SqliteDatabase from "better-sqlite3";
import { Kysely, SqliteDialect, type SqliteStatement } from "kysely";
import type { Connection } from "#store/database";
import type { Tables } from "#store/tables";

export type Durability = "normal" | "full";

/**
 * SQLite in write-ahead mode. `normal` survives the death of the process at any moment; `full` also a power cut, at
 * the price of an fsync for each commit (1.5-7 ms, measured).
 */
export function openSqlite(file: string, durability: Durability): Connection {
  const sqlite = new SqliteDatabase(file);
  sqlite.pragma("journal_mode = WAL");
  sqlite.pragma(`synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
  sqlite.pragma("foreign_keys = ON");
  sqlite.pragma("busy_timeout = 5000");
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: withStatementCache(sqlite) }) });
}

/** Preparing costs as much as running for small queries; the texts that Kysely makes are few, so they are kept. */
const STATEMENTS_KEPT = 500;

function withStatementCache(sqlite: SqliteDatabase.Database) {
  const kept = new Map<string, SqliteStatement>();
  return {
    close: () => void sqlite.close(),
    prepare(sql: string): SqliteStatement {
      const known = kept.get(sql);
      if (known) return known;
      const statement = sqlite.prepare(sql) as unknown as SqliteStatement;
      if (kept.size < STATEMENTS_KEPT) kept.set(sql, statement);
      return statement;
    },
  };
}
