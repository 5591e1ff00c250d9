import type SqliteDatabase from "better-sqlite3";
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from "kysely";
import type { EmittedWakeUps } from "#store/dialects/emitted-wake-ups";
import type { SharedSync } from "#store/dialects/shared-sync";
import { type DriverHooks, WriteAheadDriver } from "#store/dialects/sqlite-driver";

/**
 * For `durability=full`: SQLite appends to its write-ahead log without a sync, and whoever wrote is answered after one
 * that others share. The connection is given on before that wait, so that others commit meanwhile.
 *
 * Every transaction waits, also one that has only read or was rolled back: what it decided on may be another's commit
 * that is not on the disk yet. A single statement waits when it writes. A single query does not, and may show for some
 * milliseconds what a power cut would take back: who acts on what it reads, reads in a transaction.
 */
export class SyncedDriver implements Driver {
  readonly #driver: WriteAheadDriver;
  readonly #sync: SharedSync;
  /** Of the turn that has the connection. */
  #hasWritten = false;
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(
    sqlite: SqliteDatabase.Database,
    wakeUps: EmittedWakeUps,
    sync: SharedSync,
    onFull?: DriverHooks["onFull"],
  ) {
    this.#driver = new WriteAheadDriver(sqlite, wakeUps, {
      onWrite: () => (this.#hasWritten = true),
      onFull,
    });
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

  /** After a commit that is not on the disk there is nothing to roll back: the connection is somebody else's by now. */
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

/** The one connection, in the hands of one transaction or statement, until it is given on to the next. */
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

  streamQuery<Row>(query: CompiledQuery, chunkSize?: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery<Row>(query, chunkSize!);
  }

  giveOn(): void {
    this.isOver = true;
    this.#giveOn();
  }
}
