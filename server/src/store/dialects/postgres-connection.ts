import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import type { Pool, PoolClient } from "pg";
import { DatabaseAwayError } from "#store/database/database-away";
import { isConnectionLoss } from "#store/dialects/postgres-errors";
import { writeValue } from "#store/dialects/postgres-values";

/** Commands whose row count is a number of changed rows. The driver reports a count for other commands too. */
const CHANGES: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE"]);

/**
 * A database connection for the duration of one use. It may switch to another client: a broken idle client is noticed
 * only when a statement is sent, and if that statement had no effect, it is sent again on a new client. Statements are
 * sent at once, and carried out in that order.
 */
export class PostgresConnection implements DatabaseConnection {
  readonly #pool: Pool;
  readonly #usedBefore: WeakSet<PoolClient>;
  #client: PoolClient | undefined;
  /** True if the client was opened for this use, and did not come from the idle ones in the pool. */
  #isNew = false;
  #isBroken = false;
  #isInTransaction = false;
  /** A statement that comes later than the end of its transaction would be carried out by itself. */
  #isOver = false;

  /** `usedBefore` is the same set for all connections of a pool. */
  constructor(pool: Pool, usedBefore: WeakSet<PoolClient>) {
    this.#pool = pool;
    this.#usedBefore = usedBefore;
  }

  async connect(): Promise<void> {
    try {
      const client = await this.#pool.connect();
      this.#isNew = !this.#usedBefore.has(client);
      this.#usedBefore.add(client);
      this.#client = client;
      this.#isBroken = false;
    } catch (error) {
      throw new DatabaseAwayError(error, { mayBeDone: false, isUnreachable: true });
    }
  }

  /**
   * Repeats only reads outside a transaction: any other statement may have been carried out before its reply was lost.
   */
  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#isOver) throw new Error("The transaction of this statement is over.");
    const { sql, parameters } = query;
    const isReading = query.query.kind === "SelectQueryNode";
    const ask = () => this.#run<Row>(sql, parameters, { mayBeDone: !isReading && !this.#isInTransaction });
    return isReading && !this.#isInTransaction ? this.#askAgain(ask) : ask();
  }

  /** Starts a transaction. It is safe to repeat on a new connection, because no statement has run in it yet. */
  async begin(statement: string): Promise<void> {
    await this.#askAgain(() => this.#run(statement, [], { mayBeDone: false }));
    this.#isInTransaction = true;
  }

  async commit(): Promise<void> {
    this.#isOver = true;
    const { command } = await this.#run("commit", [], { mayBeDone: true });
    this.#isInTransaction = false;
    if (command === "COMMIT") return;
    throw new Error(
      "The transaction was undone, because one of its statements had failed and was passed over.",
    );
  }

  /**
   * Rolls back. Errors are dropped, because the cause is known. A connection that cannot roll back is closed, which
   * also undoes the transaction.
   */
  async rollback(): Promise<void> {
    this.#isOver = true;
    this.#isInTransaction = false;
    if (this.#isBroken) return;
    try {
      await this.#run("rollback", [], { mayBeDone: false });
    } catch {
      this.#isBroken = true;
    }
  }

  /** Returns the client to the pool. The pool closes broken clients. */
  release(): void {
    this.#client?.release(this.#isBroken);
    this.#client = undefined;
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("The store reads long lists in pieces, by queries of their own.");
  }

  /**
   * Repeats a statement at least once, and until it fails on a new client: a restart of the database breaks all idle
   * clients.
   */
  async #askAgain<Result>(ask: () => Promise<Result>): Promise<Result> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof DatabaseAwayError) || (this.#isNew && !isFirst)) throw error;
        this.release();
        await this.connect();
      }
    }
  }

  async #run<Row>(
    text: string,
    parameters: readonly unknown[],
    { mayBeDone }: { readonly mayBeDone: boolean },
  ): Promise<QueryResult<Row> & { readonly command: string }> {
    try {
      const { command, rowCount, rows } = await this.#client!.query(text, parameters.map(writeValue));
      const changed = CHANGES.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {};
      return { command, rows: rows as Row[], ...changed };
    } catch (error) {
      if (!isConnectionLoss(error)) throw error;
      this.#isBroken = true;
      throw new DatabaseAwayError(error, { mayBeDone });
    }
  }
}
