import type SqliteDatabase from "better-sqlite3";
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from "kysely";
import type { Clock } from "#plumbing/clock";
import type { EmittedWakeUps } from "#store/dialects/emitted-wake-ups";
import { SharedCommits } from "#store/dialects/shared-commits";
import type { SharedSync } from "#store/dialects/shared-sync";
import { type ConnectionParts, makeRoom, SqliteConnection } from "#store/dialects/sqlite-connection";

export interface DriverParts extends ConnectionParts {
  readonly wakeUps: EmittedWakeUps;
  readonly clock: Pick<Clock, "elapsedMs">;
}

/**
 * SQLite within this process: one connection, used by one transaction or statement at a time. Transactions
 * begun together share a commit.
 *
 * For `durability=full` they also share a sync. SQLite appends to its write-ahead log without a sync, and a
 * write returns after a sync begun after its commit. Other statements use the connection until then. Every
 * transaction waits, even after mere reads or a rollback, because it may have seen another transaction's
 * commit before the sync. A single statement waits if it writes. A single query does not wait, and for some
 * milliseconds may return rows that a power cut would undo. Code acting on the rows must read in a
 * transaction.
 */
export class SqliteDriver implements Driver {
  readonly #sqlite: SqliteDatabase.Database;
  readonly #connection: SqliteConnection;
  readonly #commits: SharedCommits;
  readonly #sync: SharedSync | undefined;

  constructor(sqlite: SqliteDatabase.Database, parts: DriverParts, sync?: SharedSync) {
    this.#sqlite = sqlite;
    this.#connection = new SqliteConnection(sqlite, parts);
    this.#commits = new SharedCommits(sqlite, this.#connection, {
      wakeUps: parts.wakeUps,
      clock: parts.clock,
      onCommit: () => sync?.noteCommit(),
      onFull: () => makeRoom(sqlite, parts.onFull),
    });
    this.#sync = sync;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new Turn(this.#connection, this.#commits, this.#sync);
  }

  beginTransaction(turn: Turn, settings: TransactionSettings = {}): Promise<void> {
    return turn.begin(settings);
  }

  commitTransaction(turn: Turn): Promise<void> {
    return turn.commit();
  }

  rollbackTransaction(turn: Turn): Promise<void> {
    return turn.rollback();
  }

  releaseConnection(turn: Turn): Promise<void> {
    return turn.release();
  }

  async destroy(): Promise<void> {
    await this.#commits.drained();
    await this.#sync?.close();
    this.#sqlite.close();
  }
}

/** The only connection, as used by a single transaction or statement. */
class Turn implements DatabaseConnection {
  readonly #connection: SqliteConnection;
  readonly #commits: SharedCommits;
  readonly #sync: SharedSync | undefined;
  /** True while a transaction is open on the connection. Undefined until a transaction begins. */
  #isOpen: boolean | undefined;
  /** True if a statement outside a transaction has written. */
  #hasWritten = false;

  constructor(connection: SqliteConnection, commits: SharedCommits, sync: SharedSync | undefined) {
    this.#connection = connection;
    this.#commits = commits;
    this.#sync = sync;
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#isOpen ? this.#connection.executeQuery<Row>(query) : this.#executeAlone<Row>(query);
  }

  async #executeAlone<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#isOpen === false) throw new Error("The transaction of this statement is over.");
    if (this.#commits.isOpen) await this.#commits.whenClosed();
    this.#sync?.check();
    const { writes } = this.#connection;
    // SQLite has carried it out when the call returns.
    const result = this.#connection.executeQuery<Row>(query);
    if (this.#connection.writes > writes) this.#hasWritten = true;
    return result;
  }

  streamQuery(): AsyncIterableIterator<never> {
    return this.#connection.streamQuery();
  }

  async begin(settings: TransactionSettings): Promise<void> {
    this.#sync?.check();
    await this.#commits.begin(settings);
    this.#isOpen = true;
  }

  async commit(): Promise<void> {
    const committed = this.#commits.end();
    this.#isOpen = false;
    await committed;
    await this.#sync?.settled();
  }

  /** Does nothing if the commit was tried and failed: the connection has already been passed on. */
  async rollback(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#commits.undo();
    await this.#sync?.settled();
  }

  async release(): Promise<void> {
    if (!this.#hasWritten || !this.#sync) return;
    this.#sync.noteCommit();
    await this.#sync.settled();
  }
}
