import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from "kysely";
import type { Connection } from "#store/database/database";
import type { StopListening, WakeUp, WakeUpListener, WakeUps } from "#store/database/wake-ups";
import type { Life } from "./life.ts";
import type { SharedDatabase } from "./shared-database.ts";
import type { SharedWakeUps } from "./shared-wake-ups.ts";
import type { Weather } from "./weather.ts";

/** The owner of a connection, and the faults that may strike the connection. */
export interface Guard {
  readonly life: Life;
  readonly weather: Weather;
  readonly wakeUps: SharedWakeUps;
  readonly delay: () => Promise<void>;
  /** Adds a statement to the story, if it records every statement. */
  readonly tellDeed: (deed: () => string) => void;
  /** Called after every possible change. Reads the database before it waits for the first time. */
  readonly onChange: () => Promise<void>;
}

/**
 * A connection to the database. Wake-ups sent through the connection are delivered after the commit of its
 * transaction.
 */
export class Session implements DatabaseConnection, WakeUps {
  readonly #shared: SharedDatabase;
  readonly #guard: Guard | undefined;
  /** Wake-ups of the open transaction. */
  #said: WakeUp[] = [];
  #inTransaction = false;
  #isBroken = false;
  granted: () => void = () => {};

  constructor(shared: SharedDatabase, guard: Guard | undefined) {
    this.#shared = shared;
    this.#guard = guard;
    guard?.life.onChange(() => (guard.life.isRunning ? shared.handOn() : this.#interrupt()));
  }

  get isRunning(): boolean {
    return this.#guard?.life.isRunning ?? true;
  }

  acquire(): Promise<void> {
    return this.#shared.lock(this);
  }

  release(): void {
    this.#isBroken = false;
    this.#shared.unlock(this);
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#act("query", async () => {
      const { weather } = this.#guard ?? {};
      if (weather?.happens("query is slow")) await this.#guard!.delay();
      return this.#whenHeld(async () => {
        if (weather?.happens("query fails")) throw new StoreFault("The query was not carried out");
        this.#guard?.tellDeed(() => `${query.sql} ${JSON.stringify(query.parameters)}`);
        const done = this.#shared.execute<Row>(query);
        if (this.#inTransaction || query.sql.startsWith("select")) return done;
        await this.#changed(done);
        if (weather?.happens("change is applied and fails")) {
          throw new StoreFault("The connection was lost after the change was made");
        }
        return done;
      });
    });
  }

  begin(): Promise<void> {
    return this.#act("query", () =>
      this.#whenHeld(async () => {
        const done = this.#shared.run("begin immediate");
        this.#inTransaction = true;
        await done;
      }),
    );
  }

  commit(): Promise<void> {
    return this.#act("commit", () =>
      this.#whenHeld(async () => {
        const { weather } = this.#guard ?? {};
        if (weather?.happens("commit fails")) throw new StoreFault("The transaction was not committed");
        this.#guard?.tellDeed(() => "commit");
        const done = this.#shared.run("commit");
        this.#inTransaction = false;
        this.#tellAll();
        await this.#changed(done);
        if (weather?.happens("commit is applied and fails")) {
          throw new StoreFault("The connection was lost after the transaction was committed");
        }
      }),
    );
  }

  /**
   * Reads the changes in the same tick: a statement is carried out when issued, and only its answer arrives
   * later.
   */
  async #changed(done: Promise<unknown>): Promise<void> {
    const seen = this.#guard?.onChange();
    await done;
    await seen;
  }

  async notify(db: Connection, wakeUp: WakeUp): Promise<void> {
    this.#said.push(wakeUp);
    if (!db.isTransaction) this.#tellAll();
  }

  listen(listener: WakeUpListener): StopListening {
    return this.#guard?.wakeUps.listen(this.#guard.life, listener) ?? (async () => undefined);
  }

  #tellAll(): void {
    for (const wakeUp of this.#said.splice(0)) this.#guard?.wakeUps.tell(wakeUp);
  }

  async rollback(): Promise<void> {
    this.#said = [];
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    await this.#shared.run("rollback");
  }

  // oxlint-disable-next-line require-yield -- nothing streams, but the interface requires it.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("The store reads whole results.");
  }

  #act<Result>(deed: "query" | "commit", work: () => Promise<Result>): Promise<Result> {
    return this.#guard ? this.#guard.life.act(deed, work) : work();
  }

  /**
   * Runs the work while this connection holds the database. A connection interrupted between two transactions
   * waits for its turn again; a connection interrupted in a transaction is broken. The work starts in the
   * same tick as the check.
   */
  async #whenHeld<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      if (this.#isBroken) {
        throw new StoreFault("The database closed the connection: it was idle in a transaction");
      }
      if (this.#shared.isHeldBy(this)) return work();
      await this.#shared.lock(this);
    }
  }

  #interrupt(): void {
    if (!this.#shared.isHeldBy(this)) return;
    if (this.#inTransaction) {
      this.#inTransaction = false;
      this.#isBroken = true;
      this.#said = [];
      void this.#shared.run("rollback");
    }
    this.#shared.unlock(this);
  }
}

class StoreFault extends Error {
  constructor(what: string) {
    super(`${what} (simulated).`);
    this.name = "StoreFault";
  }
}

export class SessionDriver implements Driver {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#session.acquire();
    return this.#session;
  }

  beginTransaction(): Promise<void> {
    return this.#session.begin();
  }

  commitTransaction(): Promise<void> {
    return this.#session.commit();
  }

  rollbackTransaction(): Promise<void> {
    return this.#session.rollback();
  }

  async releaseConnection(): Promise<void> {
    this.#session.release();
  }

  async destroy(): Promise<void> {}
}
