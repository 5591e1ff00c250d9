import type { DatabaseConnection, Driver, TransactionSettings } from "kysely";
import type { Pool, PoolClient } from "pg";
import { PostgresConnection } from "#store/dialects/postgres-connection";

/** Read-only transaction with a single snapshot for all statements. */
const SNAPSHOT = "begin isolation level repeatable read read only";

/** Hands out connections of a pool. Kysely requests one for each statement, or for a whole transaction. */
export class PostgresDriver implements Driver {
  readonly #openPool: () => Pool;
  readonly #usedBefore = new WeakSet<PoolClient>();
  #pool: Pool | undefined;

  constructor(openPool: () => Pool) {
    this.#openPool = openPool;
  }

  async init(): Promise<void> {
    this.#pool = this.#openPool();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const connection = new PostgresConnection(this.#pool!, this.#usedBefore);
    await connection.connect();
    return connection;
  }

  /**
   * Each statement sees all changes committed before its start. Decisions based on rows must therefore lock
   * the rows first.
   */
  beginTransaction(connection: PostgresConnection, { accessMode }: TransactionSettings): Promise<void> {
    return connection.begin(accessMode === "read only" ? SNAPSHOT : "begin isolation level read committed");
  }

  commitTransaction(connection: PostgresConnection): Promise<void> {
    return connection.commit();
  }

  rollbackTransaction(connection: PostgresConnection): Promise<void> {
    return connection.rollback();
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    await this.#pool?.end();
  }
}
