import type SqliteDatabase from "better-sqlite3";
import {
  type DatabaseConnection,
  SqliteDriver,
  type SqliteStatement,
  type TransactionSettings,
} from "kysely";
import type { EmittedWakeUps } from "#store/dialects/emitted-wake-ups";

/** SQLite within this process: one connection, which one transaction or statement has at a time. */
export class WriteAheadDriver extends SqliteDriver {
  readonly #sqlite: SqliteDatabase.Database;
  readonly #wakeUps: EmittedWakeUps;

  /** `onWrite` hears of each statement that may change something, before it is carried out. */
  constructor(sqlite: SqliteDatabase.Database, wakeUps: EmittedWakeUps, onWrite?: () => void) {
    super({ database: withStatementCache(sqlite, onWrite) });
    this.#sqlite = sqlite;
    this.#wakeUps = wakeUps;
  }

  /**
   * Takes the write lock at once: one that reads first and writes then fails when another has written in between. One that
   * only reads keeps nobody from writing.
   */
  override async beginTransaction(
    _connection: DatabaseConnection,
    { accessMode }: TransactionSettings = {},
  ): Promise<void> {
    this.#sqlite.exec(accessMode === "read only" ? "begin" : "begin immediate");
  }

  override async commitTransaction(_connection: DatabaseConnection): Promise<void> {
    this.#sqlite.exec("commit");
    this.#wakeUps.committed();
  }

  /** On some errors, a full disk for one, SQLite has rolled back by itself. */
  override async rollbackTransaction(_connection: DatabaseConnection): Promise<void> {
    this.#wakeUps.rolledBack();
    if (this.#sqlite.inTransaction) this.#sqlite.exec("rollback");
  }
}

/** Preparing costs as much as running for small queries; the texts that the store makes are few, so they are kept. */
const STATEMENTS_KEPT = 500;

function withStatementCache(sqlite: SqliteDatabase.Database, onWrite?: () => void) {
  const kept = new Map<string, SqliteDatabase.Statement>();

  function statementOf(sql: string): SqliteDatabase.Statement {
    const known = kept.get(sql);
    if (known) return known;
    const statement = sqlite.prepare(sql);
    const [oldest] = kept.keys();
    if (kept.size >= STATEMENTS_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(sql, statement);
    return statement;
  }

  return {
    close: () => void sqlite.close(),
    prepare(sql: string): SqliteStatement {
      const statement = statementOf(sql);
      if (!statement.readonly) onWrite?.();
      return statement;
    },
  };
}
