import type { Kysely } from "kysely";
import type { Tables } from "#store/database/tables";

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
