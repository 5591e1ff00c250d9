import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import type { Connection } from "#store/database/connection";

/** The driver's connection of each open transaction, by the executor of its Kysely object. */
const connections = new WeakMap<object, DatabaseConnection>();

/**
 * Returns `work` for a transaction of Kysely, with a direct way to the driver for its fixed queries. Kysely makes two
 * executors and about ten promises for each statement of a transaction, which costs more than most statements take in
 * SQLite. The driver's connection itself refuses a statement that comes after the end of its transaction.
 */
export function withDirectStatements<Result>(
  work: (connection: Connection) => Promise<Result>,
): (connection: Connection) => Promise<Result> {
  return async (connection) => {
    const executor = connection.getExecutor();
    // A plugin of Kysely sees each statement: it has to run there.
    if (executor.plugins.length === 0)
      connections.set(executor, await executor.provideConnection(async (direct) => direct));
    return work(connection);
  };
}

/** Runs a compiled query, without Kysely if it is part of a transaction. */
export function runCompiled<Row>(db: Connection, query: CompiledQuery): Promise<QueryResult<Row>> {
  const executor = db.getExecutor();
  return connections.get(executor)?.executeQuery<Row>(query) ?? executor.executeQuery<Row>(query);
}
