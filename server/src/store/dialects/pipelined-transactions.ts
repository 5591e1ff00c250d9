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
  readonly #provider: ConnectionProvider;
  #connection: Promise<DatabaseConnection> | undefined;

  constructor(provider: ConnectionProvider) {
    this.#provider = provider;
  }

  async provideConnection<Result>(
    consumer: (connection: DatabaseConnection) => Promise<Result>,
  ): Promise<Result> {
    this.#connection ??= this.#provider.provideConnection(async (connection) => connection);
    return consumer(await this.#connection);
  }
}
