import type { ConnectionProvider, DatabaseConnection, Kysely } from "kysely";
import type { Tables } from "#store/database/tables";

/**
 * Makes transactions start each statement when it is asked for. Kysely holds it back until the one before has ended. In
 * PostgreSQL that costs a round trip for each statement: a transaction of a run had 12 of them. In SQLite a statement
 * has ended when its call returns, and only the promises of the wait cost time.
 */
export function pipelineTransactions(db: Kysely<Tables>): void {
  const executor = db.getExecutor();
  const serial = executor.withConnectionProvider.bind(executor);
  executor.withConnectionProvider = (provider) => serial(new PipelinedProvider(provider));
}

/** Lends the connection of a transaction to all statements at once, in the order in which they ask for it. */
class PipelinedProvider implements ConnectionProvider {
  #connection: DatabaseConnection | undefined;

  constructor(provider: ConnectionProvider) {
    // Kysely's own provider has the connection of the transaction, and passes it on during this call.
    void provider.provideConnection(async (connection) => void (this.#connection = connection));
  }

  provideConnection<Result>(consumer: (connection: DatabaseConnection) => Promise<Result>): Promise<Result> {
    if (!this.#connection) throw new Error("The transaction has no connection.");
    return consumer(this.#connection);
  }
}
