import type SqliteDatabase from "better-sqlite3";
import {
  type DatabaseConnection,
  SqliteDriver,
  type SqliteStatement,
  type TransactionSettings,
} from "kysely";
import { codeOf } from "#plumbing/errors";
import type { EmittedWakeUps } from "#store/dialects/emitted-wake-ups";

/** SQLite within this process: one connection, which one transaction or statement has at a time. */
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
    try {
      this.#sqlite.exec("commit");
    } catch (error) {
      if (isFull(error)) this.#onFull();
      throw error;
    }
    this.#wakeUps.committed();
  }

  /** On some errors, a full disk for one, SQLite has rolled back by itself. */
  override async rollbackTransaction(_connection: DatabaseConnection): Promise<void> {
    this.#wakeUps.rolledBack();
    if (this.#sqlite.inTransaction) this.#sqlite.exec("rollback");
  }
}

export interface DriverHooks {
  /** Hears of each statement that may change something, before it is carried out. */
  readonly onWrite?: (() => void) | undefined;
  /** Frees space on the disk of the database, which has just refused a write. */
  readonly onFull?: (() => void) | undefined;
}

export function isFull(error: unknown): boolean {
  return codeOf(error) === "SQLITE_FULL";
}

/**
 * Copies the write-ahead log into the database, so that the next writes find room in the log's file as it is. What it
 * appends to the database needs the space that the hook has freed.
 */
function makeRoom(sqlite: SqliteDatabase.Database, { onFull }: DriverHooks): void {
  onFull?.();
  if (sqlite.inTransaction) return;
  try {
    sqlite.pragma("wal_checkpoint(RESTART)");
  } catch (error) {
    // The write that is tried again now meets the full disk itself.
    if (!isFull(error)) throw error;
  }
}

/** Preparing costs as much as running for small queries; the texts that the store makes are few, so they are kept. */
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

  /** Alone, a statement that met a full disk is carried out again; within a transaction, all of that is (`attempt`). */
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
