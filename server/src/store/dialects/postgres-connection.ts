import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import type { Pool, PoolClient } from "pg";
import { DatabaseAwayError } from "#store/database-away";
import { isConnectionLoss } from "#store/dialects/postgres-errors";
import { writeValue } from "#store/dialects/postgres-values";

/** What counts as a change of rows; the driver gives a number for others as well. */
const CHANGES: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE"]);

/**
 * A connection for as long as somebody uses it. Behind it may stand one after the other: an idle connection that broke
 * is noticed only when something is asked on it, and where that did nothing it is asked on a new one.
 */
export class PostgresConnection implements DatabaseConnection {
  readonly #pool: Pool;
  readonly #usedBefore: WeakSet<PoolClient>;
  #client: PoolClient | undefined;
  /** Made for this use, and not taken from those that were idle. */
  #isNew = false;
  #isBroken = false;
  #isInTransaction = false;

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

  /** Only what reads, and stands alone, is asked twice: anything else may have been carried out before the answer was lost. */
  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { sql, parameters } = query;
    const isReading = query.query.kind === "SelectQueryNode";
    const ask = () => this.#run<Row>(sql, parameters, { mayBeDone: !isReading && !this.#isInTransaction });
    return isReading && !this.#isInTransaction ? this.#askAgain(ask) : ask();
  }

  /** Nothing has been asked in the transaction yet. */
  async begin(statement: string): Promise<void> {
    await this.#askAgain(() => this.#run(statement, [], { mayBeDone: false }));
    this.#isInTransaction = true;
  }

  async commit(): Promise<void> {
    const { command } = await this.#run("commit", [], { mayBeDone: true });
    this.#isInTransaction = false;
    if (command === "COMMIT") return;
    throw new Error(
      "The transaction was undone, because one of its statements had failed and was passed over.",
    );
  }

  /** Why it is rolled back is known already. A connection that cannot even do that is closed, which undoes as well. */
  async rollback(): Promise<void> {
    this.#isInTransaction = false;
    if (this.#isBroken) return;
    try {
      await this.#run("rollback", [], { mayBeDone: false });
    } catch {
      this.#isBroken = true;
    }
  }

  /** The pool closes what is broken. */
  release(): void {
    this.#client?.release(this.#isBroken);
    this.#client = undefined;
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("The store reads long lists in pieces, by queries of their own.");
  }

  /** Once more in any case, and until a new connection is asked: after a restart all that were idle are broken. */
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
