import {
  type CompiledQuery,
  type DialectAdapter,
  type Kysely,
  type QueryResult,
  SqliteQueryCompiler,
  type ValuesNode,
} from "kysely";
import type { Connection } from "#store/database/connection";
import type { Tables } from "#store/database/tables";

/**
 * All uses of Kysely beyond its documented interface. `kysely-hooks.test.ts` checks each of them, and names what breaks
 * if an upgrade changes it.
 */

/** Returns the adapter of the dialect, which a database shares with all of its transactions. */
export function adapterIn(db: Connection): DialectAdapter {
  return db.getExecutor().adapter;
}

/** Runs a query that was compiled earlier, without building the query again. */
export function runCompiled<Row>(db: Connection, query: CompiledQuery): Promise<QueryResult<Row>> {
  return db.getExecutor().executeQuery<Row>(query);
}

/**
 * Makes transactions start each statement when it is asked for, in that order. Kysely holds a statement back until the
 * one before has ended, and makes two executors and about ten promises for it. In PostgreSQL the wait costs a round trip
 * for each statement. In SQLite a statement has ended when its call returns, and the promises take longer than most
 * statements.
 */
export function pipelineTransactions(db: Kysely<Tables>): void {
  const executor = db.getExecutor();
  const lending = executor.withConnectionProvider.bind(executor);
  executor.withConnectionProvider = (provider) => {
    const connection = provider.provideConnection(async (one) => one);
    const direct = lending(provider);
    direct.executeQuery = async (query) => (await connection).executeQuery(query);
    const ofTransaction = lending(provider);
    // Kysely requests this executor for each statement, after checking for an open transaction.
    ofTransaction.withConnectionProvider = () => direct;
    return ofTransaction;
  };
}

/**
 * Hides values from SQLite's planner. SQLite plans a statement for the values that it is given, and plans it again for
 * other values, which costs more than running it. If the planner cannot see the values, it plans once
 * (docs/decisions/20261122-statements-are-planned-once.md). Where a value must select a partial index, the query text
 * contains that value. Measured, median microseconds with 100,000 stored runs:
 *
 *                             by its values   planned once
 *   the owner of a token                 19              7
 *   the first 20 runs                    61             31
 */
export class PlansOnce extends SqliteQueryCompiler {
  /**
   * True if inserted rows are being compiled. Their values affect no plan, and hiding them would make a thousand rows
   * slow to prepare.
   */
  #isInRows = false;

  protected override visitValues(node: ValuesNode): void {
    this.#isInRows = true;
    super.visitValues(node);
    this.#isInRows = false;
  }

  protected override getCurrentParameterPlaceholder(): string {
    return this.#isInRows ? "?" : "(select ?)";
  }
}
