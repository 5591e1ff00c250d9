import { type CompiledQuery, type DatabaseConnection, type Driver, Kysely, type QueryResult } from "kysely";
import type { Connection } from "#store/database/database";
import type { Tables } from "#store/database/tables";
import type { Dice } from "../../simulation/dice.ts";

/**
 * A store that fails now and then, on top of a sound store, which the test can still read. Its worst fault: a
 * statement or a whole transaction is carried out and then reported as failed.
 */
export interface FaultyStore {
  readonly db: Connection;
  /** Number of occurrences of each fault. */
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** Simulates the death of the process: all further calls fail and change nothing. */
  cut(): void;
}

/** The end of every error message of this store. */
export const ON_PURPOSE = "(on purpose)";

export type FaultKind = keyof typeof FAULTS;

interface Fault {
  /** The moment it strikes: before any change, in the middle of a transaction, or after all changes. */
  readonly strikes: "before" | "amid" | "after";
  readonly error: readonly [code: string, message: string];
}

const FAULTS = {
  busy: { strikes: "before", error: ["SQLITE_BUSY", "database is locked"] },
  refused: { strikes: "before", error: ["ECONNREFUSED", "connect ECONNREFUSED"] },
  full: { strikes: "amid", error: ["SQLITE_FULL", "database or disk is full"] },
  broken: { strikes: "amid", error: ["SQLITE_IOERR_WRITE", "disk I/O error"] },
  lost: { strikes: "amid", error: ["ECONNRESET", "The connection to the database was lost."] },
  applied: { strikes: "after", error: ["ETIMEDOUT", "The database did not answer in time."] },
} as const satisfies Readonly<Record<string, Fault>>;

const KINDS = Object.keys(FAULTS) as FaultKind[];
const DEAD: Fault["error"] = ["ECONNRESET", "This process is dead."];

export interface FaultyOptions {
  readonly dice: Dice;
  /** Share of statements outside a transaction, and of whole transactions, that fail. */
  readonly rate: number;
  /** Longest delay in milliseconds. Delays are about as frequent as faults. */
  readonly slowMs: number;
}

export function faultyStore(sound: Connection, options: FaultyOptions): FaultyStore {
  const faults = new Map<FaultKind, number>();
  const weather: Weather = { ...options, faults, isCut: false };
  const executor = sound.getExecutor();
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => executor.adapter,
      createDriver: () => new FaultyDriver(sound, weather),
      createIntrospector: () => sound.introspection,
      createQueryCompiler: () => ({ compileQuery: (node, queryId) => executor.compileQuery(node, queryId) }),
    },
  });
  return { db, faults, cut: () => void (weather.isCut = true) };
}

interface Weather extends FaultyOptions {
  readonly faults: Map<FaultKind, number>;
  isCut: boolean;
}

class FaultyDriver implements Driver {
  readonly #sound: Connection;
  readonly #weather: Weather;

  constructor(sound: Connection, weather: Weather) {
    this.#sound = sound;
    this.#weather = weather;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new FaultyConnection(this.#sound, this.#weather);
  }

  beginTransaction = (connection: FaultyConnection) => connection.begin();
  commitTransaction = (connection: FaultyConnection) => connection.commit();
  rollbackTransaction = (connection: FaultyConnection) => connection.rollback();
  releaseConnection = (connection: FaultyConnection) => connection.release();

  /** The sound store stays open. */
  async destroy(): Promise<void> {}
}

type OpenTransaction = Awaited<ReturnType<ReturnType<Connection["startTransaction"]>["execute"]>>;

/** A connection for a single statement or transaction. */
class FaultyConnection implements DatabaseConnection {
  readonly #sound: Connection;
  readonly #weather: Weather;
  readonly #fate: FaultKind | "slow" | undefined;
  /** Number of statements before a fault strikes in the middle of a transaction. */
  #patience: number;
  #open: OpenTransaction | undefined;

  constructor(sound: Connection, weather: Weather) {
    const { dice, rate } = weather;
    this.#sound = sound;
    this.#weather = weather;
    const throwsFault = dice.chance(rate);
    this.#fate = throwsFault ? dice.pick(KINDS) : dice.chance(rate) ? "slow" : undefined;
    this.#patience = dice.between(0, 5);
  }

  async begin(): Promise<void> {
    await this.#dawdle();
    this.#strike("before");
    this.#open = await this.#sound.startTransaction().execute();
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#open) return this.#within<Row>(this.#open, query);
    await this.#dawdle();
    this.#strike("before");
    this.#strike("amid");
    const result = await this.#sound.executeQuery<Row>(query);
    this.#strike("after");
    return result;
  }

  async #within<Row>(open: OpenTransaction, query: CompiledQuery): Promise<QueryResult<Row>> {
    this.#patience -= 1;
    if (this.#patience < 0) this.#strike("amid");
    return open.executeQuery<Row>(query);
  }

  async commit(): Promise<void> {
    await this.#dawdle();
    this.#strike("amid");
    const open = this.#open!;
    this.#open = undefined;
    await open.commit().execute();
    this.#strike("after");
  }

  /** Rolls back. If the connection was lost, the caller does not learn that the database has rolled back by itself. */
  async rollback(): Promise<void> {
    await this.release();
    if (this.#fate === "lost") throw errorOf(FAULTS.lost.error);
  }

  async release(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.rollback().execute();
  }

  streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error(`Nothing is streamed here: ${query.sql}`);
  }

  async #dawdle(): Promise<void> {
    if (this.#fate !== "slow") return;
    const { dice, slowMs } = this.#weather;
    await new Promise((resolve) => setTimeout(resolve, dice.between(0, slowMs)));
  }

  #strike(when: Fault["strikes"]): void {
    const { faults, isCut } = this.#weather;
    if (isCut) throw errorOf(DEAD);
    if (this.#fate === undefined || this.#fate === "slow" || FAULTS[this.#fate].strikes !== when) return;
    faults.set(this.#fate, (faults.get(this.#fate) ?? 0) + 1);
    throw errorOf(FAULTS[this.#fate].error);
  }
}

function errorOf([code, message]: Fault["error"]): Error {
  return Object.assign(new Error(`${message} ${ON_PURPOSE}`), { code });
}
