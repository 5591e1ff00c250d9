import type SqliteDatabase from "better-sqlite3";
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from "kysely";
import type { SharedSync } from "#store/dialects/shared-sync";
import { type DriverParts, WriteAheadDriver } from "#store/dialects/sqlite-driver";

/**
 * Driver for `durability=full`. SQLite appends to its write-ahead log without a sync, and a write returns after a sync
 * that it shares with others. The connection is passed on before that wait, so that others can commit during it.
 *
 * Every transaction waits, even one that only read or was rolled back: it may have seen another's commit that is not on
 * the disk yet. A single statement waits if it writes. A single query does not wait, and for some milliseconds it may
 * return rows that a power cut would undo. Code that acts on what it reads must read in a transaction.
 */
export class SyncedDriver implements Driver {
  readonly #driver: WriteAheadDriver;
  readonly #sync: SharedSync;
  /** Whether the current turn has written. */
  #hasWritten = false;
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(sqlite: SqliteDatabase.Database, parts: DriverParts, sync: SharedSync) {
    this.#driver = new WriteAheadDriver(sqlite, { ...parts, onWrite: () => (this.#hasWritten = true) });
    this.#sync = sync;
  }

  init(): Promise<void> {
    return this.#driver.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#lastTurn;
    const { promise, resolve: giveOn } = Promise.withResolvers<void>();
    this.#lastTurn = promise;
    await before;
    try {
      this.#sync.check();
      this.#hasWritten = false;
      return new Turn(await this.#driver.acquireConnection(), giveOn);
    } catch (error) {
      giveOn();
      throw error;
    }
  }

  beginTransaction(turn: Turn, settings: TransactionSettings): Promise<void> {
    return this.#driver.beginTransaction(turn, settings);
  }

  async commitTransaction(turn: Turn): Promise<void> {
    await this.#driver.commitTransaction(turn);
    await this.#end(turn);
  }

  /** Does nothing after a commit whose sync failed: the connection has already been passed on. */
  async rollbackTransaction(turn: Turn): Promise<void> {
    if (turn.isOver) return;
    await this.#driver.rollbackTransaction(turn);
    this.#hasWritten = false;
    await this.#end(turn);
  }

  async releaseConnection(turn: Turn): Promise<void> {
    if (turn.isOver) return;
    if (this.#hasWritten) await this.#end(turn);
    else turn.giveOn();
  }

  async #end(turn: Turn): Promise<void> {
    if (this.#hasWritten) this.#sync.noteCommit();
    turn.giveOn();
    await this.#sync.settled();
  }

  async destroy(): Promise<void> {
    await this.#sync.close();
    await this.#driver.destroy();
  }
}

/** The one connection, held by one transaction or statement until it is passed on to the next. */
class Turn implements DatabaseConnection {
  isOver = false;
  readonly #connection: DatabaseConnection;
  readonly #giveOn: () => void;

  constructor(connection: DatabaseConnection, giveOn: () => void) {
    this.#connection = connection;
    this.#giveOn = giveOn;
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#connection.executeQuery<Row>(query);
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery<Row>(query, chunkSize);
  }

  giveOn(): void {
    this.isOver = true;
    this.#giveOn();
  }
}
