import type SqliteDatabase from "better-sqlite3";
import {
  type DatabaseConnection,
  SqliteDriver,
  type SqliteStatement,
  type TransactionSettings,
} from "kysely";
import { codeOf } from "#plumbing/errors";
import type { EmittedWakeUps } from "#store/dialects/emitted-wake-ups";

/** SQLite within this process: one connection, used by one transaction or statement at a time. */
export class WriteAheadDriver extends SqliteDriver {
  readonly #sqlite: SqliteDatabase.Database;
  readonly #wakeUps: EmittedWakeUps;
  readonly #onFull: () => void;

  constructor(sqlite: SqliteDatabase.Database, wakeUps: EmittedWakeUps, hooks: DriverHooks = {}) {
    const onFull = () => makeRoom(sqlite, hooks);
    super({ database: withStatementCache(sqlite, { ...hooks, onFull }) });
    this.#sqlite = sqlite;
    this.#wakeUps = wakeUps;
    this.#onFull = onFull;
  }

  /**
   * Takes the write lock immediately: a transaction that reads first and writes later fails if another has written in
   * between. A read-only transaction blocks no writers.
   */
  override async beginTransaction(
    _connection: DatabaseConnection,
    { accessMode }: TransactionSettings = {},
  ): Promise<void> {
    this.#sqlite.exec(accessMode === "read only" ? "begin" : "begin immediate");
  }

  override async commitTransaction(_connection: DatabaseConnection): Promise<void> {
    try {
      this.#sqlite.exec("commit");
    } catch (error) {
      if (isFull(error)) this.#onFull();
      throw error;
    }
    this.#wakeUps.committed();
  }

  /** Rolls back, unless SQLite has done so by itself, as on a full disk and some other errors. */
  override async rollbackTransaction(_connection: DatabaseConnection): Promise<void> {
    this.#wakeUps.rolledBack();
    if (this.#sqlite.inTransaction) this.#sqlite.exec("rollback");
  }
}

export interface DriverHooks {
  /** Called before each statement that may change rows. */
  readonly onWrite?: (() => void) | undefined;
  /** Frees disk space after the database's disk has refused a write. */
  readonly onFull?: (() => void) | undefined;
}

export function isFull(error: unknown): boolean {
  return codeOf(error) === "SQLITE_FULL";
}

/**
 * Copies the write-ahead log into the database, so that the next writes fit into the log file at its present size. The
 * pages appended to the database use the space that the hook has freed.
 */
function makeRoom(sqlite: SqliteDatabase.Database, { onFull }: DriverHooks): void {
  onFull?.();
  if (sqlite.inTransaction) return;
  try {
    sqlite.pragma("wal_checkpoint(RESTART)");
  } catch (error) {
    // The write that is tried again will report the full disk.
    if (!isFull(error)) throw error;
  }
}

/**
 * Number of cached statements. Preparing a small query costs as much as running it, and the store has few distinct
 * queries.
 */
const STATEMENTS_KEPT = 500;

interface KeptStatement extends SqliteStatement {
  readonly readonly: boolean;
}

function withStatementCache(sqlite: SqliteDatabase.Database, { onWrite, onFull }: DriverHooks) {
  const kept = new Map<string, KeptStatement>();

  function statementOf(sql: string): KeptStatement {
    const known = kept.get(sql);
    if (known) return known;
    const prepared = sqlite.prepare(sql);
    const statement = prepared.readonly ? prepared : tryingAgain(prepared);
    const [oldest] = kept.keys();
    if (kept.size >= STATEMENTS_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(sql, statement);
    return statement;
  }

  /** Repeats a single statement that met a full disk. Within a transaction, `attempt` repeats the whole transaction. */
  function tryingAgain(statement: SqliteDatabase.Statement): KeptStatement {
    const tried = <Result>(execute: () => Result): Result => {
      const isAlone = !sqlite.inTransaction;
      try {
        return execute();
      } catch (error) {
        if (!isFull(error)) throw error;
        onFull?.();
        if (!isAlone) throw error;
        return execute();
      }
    };
    return {
      reader: statement.reader,
      readonly: statement.readonly,
      all: (parameters) => tried(() => statement.all(parameters)),
      run: (parameters) => tried(() => statement.run(parameters)),
      iterate: (parameters) => statement.iterate(parameters),
    };
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
