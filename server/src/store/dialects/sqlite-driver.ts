import type SqliteDatabase from "better-sqlite3";
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from "kysely";
import { systemClock } from "#plumbing/clock";
import { codeOf } from "#plumbing/errors";
import type { DatabaseLoad } from "#store/database/load";
import type { EmittedWakeUps } from "#store/dialects/emitted-wake-ups";

/** SQLite within this process: one connection, used by one transaction or statement at a time. */
export class WriteAheadDriver implements Driver {
  readonly #sqlite: SqliteDatabase.Database;
  readonly #connection: SqliteConnection;
  readonly #wakeUps: EmittedWakeUps;
  readonly #onFull: () => void;
  readonly #begin: SqliteDatabase.Statement;
  readonly #commit: SqliteDatabase.Statement;

  constructor(sqlite: SqliteDatabase.Database, parts: DriverParts) {
    this.#onFull = () => makeRoom(sqlite, parts);
    this.#sqlite = sqlite;
    this.#connection = new SqliteConnection(sqlite, { ...parts, onFull: this.#onFull });
    this.#wakeUps = parts.wakeUps;
    this.#begin = sqlite.prepare("begin immediate");
    this.#commit = sqlite.prepare("commit");
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#sqlite.close();
  }

  /**
   * Takes the write lock immediately: a transaction that reads first and writes later fails if another has written in
   * between. A read-only transaction blocks no writers.
   */
  async beginTransaction(
    _connection: DatabaseConnection,
    { accessMode }: TransactionSettings = {},
  ): Promise<void> {
    if (accessMode === "read only") this.#sqlite.exec("begin");
    else this.#begin.run();
  }

  async commitTransaction(_connection: DatabaseConnection): Promise<void> {
    try {
      this.#commit.run();
    } catch (error) {
      if (isFull(error)) this.#onFull();
      throw error;
    }
    this.#wakeUps.committed();
  }

  /** Rolls back, unless SQLite has done so by itself, as on a full disk and some other errors. */
  async rollbackTransaction(_connection: DatabaseConnection): Promise<void> {
    this.#wakeUps.rolledBack();
    if (this.#sqlite.inTransaction) this.#sqlite.exec("rollback");
  }
}

export interface DriverParts {
  readonly wakeUps: EmittedWakeUps;
  readonly load: DatabaseLoad;
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
function makeRoom(sqlite: SqliteDatabase.Database, { onFull }: Pick<DriverParts, "onFull">): void {
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

/**
 * Runs statements from a cache, and counts them. It takes the place of Kysely's own connection and of its logger: their
 * promises cost as much as a small statement.
 */
class SqliteConnection implements DatabaseConnection {
  readonly #sqlite: SqliteDatabase.Database;
  readonly #parts: Omit<DriverParts, "wakeUps">;
  readonly #kept = new Map<string, SqliteDatabase.Statement>();

  constructor(sqlite: SqliteDatabase.Database, parts: Omit<DriverParts, "wakeUps">) {
    this.#sqlite = sqlite;
    this.#parts = parts;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { load } = this.#parts;
    const beganAtMs = systemClock.elapsedMs();
    let hasFailed = true;
    try {
      const statement = this.#statementOf(sql);
      const result = statement.readonly
        ? run<Row>(statement, parameters)
        : this.#write<Row>(statement, parameters);
      hasFailed = false;
      return result;
    } finally {
      load.noteQuery(systemClock.elapsedMs() - beganAtMs, hasFailed);
    }
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("The store reads long lists in pieces, by queries of their own.");
  }

  /** Repeats a single statement that met a full disk. Within a transaction, `attempt` repeats the whole transaction. */
  #write<Row>(statement: SqliteDatabase.Statement, parameters: readonly unknown[]): QueryResult<Row> {
    const { onWrite, onFull } = this.#parts;
    onWrite?.();
    const isAlone = !this.#sqlite.inTransaction;
    try {
      return run(statement, parameters);
    } catch (error) {
      if (!isFull(error)) throw error;
      onFull?.();
      if (!isAlone) throw error;
      return run(statement, parameters);
    }
  }

  #statementOf(sql: string): SqliteDatabase.Statement {
    const known = this.#kept.get(sql);
    if (known) return known;
    const statement = this.#sqlite.prepare(sql);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= STATEMENTS_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(sql, statement);
    return statement;
  }
}

function run<Row>(statement: SqliteDatabase.Statement, parameters: readonly unknown[]): QueryResult<Row> {
  if (statement.reader) return { rows: statement.all(parameters) as Row[] };
  return { rows: [], numAffectedRows: BigInt(statement.run(parameters).changes) };
}
