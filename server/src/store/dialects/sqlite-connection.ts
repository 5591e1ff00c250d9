import type SqliteDatabase from "better-sqlite3";
import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import { systemClock } from "#plumbing/clock";
import { codeOf } from "#plumbing/errors";
import type { DatabaseLoad } from "#store/database/load";

export interface ConnectionParts {
  readonly load: DatabaseLoad;
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
export function makeRoom(sqlite: SqliteDatabase.Database, onFull: (() => void) | undefined): void {
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
 * Runs statements from a cache, and counts the statements. Replaces Kysely's own connection and logger,
 * because their promises cost as much as a small statement.
 */
export class SqliteConnection implements DatabaseConnection {
  /** Number of statements so far with possible changes to rows. */
  writes = 0;
  /** The error of the last statement that failed. */
  lastError: unknown;
  readonly #sqlite: SqliteDatabase.Database;
  readonly #parts: ConnectionParts;
  readonly #kept = new Map<string, SqliteDatabase.Statement>();

  constructor(sqlite: SqliteDatabase.Database, parts: ConnectionParts) {
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
    } catch (error) {
      this.lastError = error;
      throw error;
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
    this.writes += 1;
    const isAlone = !this.#sqlite.inTransaction;
    try {
      return run(statement, parameters);
    } catch (error) {
      if (!isFull(error)) throw error;
      makeRoom(this.#sqlite, this.#parts.onFull);
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
