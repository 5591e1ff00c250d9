import type { ColumnBuilderCallback } from "kysely";
import type { Connection } from "#store/connection";
import type { TellsTime } from "#store/database-time";
import type { KeepsFixedQueries } from "#store/fixed-query";
import type { SaysWakeUps } from "#store/wake-ups";

/** What a database and its transactions have in common: all that the store has to know about the dialect under it. */
export interface StoreAdapter extends KeepsFixedQueries, TellsTime, SaysWakeUps {
  readonly differences: Differences;
  /** Carries a transaction out, and again if it has surely left nothing behind and may succeed now. */
  attempt<Result>(transaction: () => Promise<Result>): Promise<Result>;
  /** In a transaction that changes the tables: refuses a database that cannot be used, and lets no second one in. */
  beginMigration(db: Connection): Promise<void>;
  /** Workflows were put in with numbers of their own: the next one's follows theirs. */
  numberAfter(db: Connection): Promise<void>;
}

/** Where the databases differ on purpose, each with its reason. */
export interface Differences {
  /**
   * Whether rows have to be locked before a decision is made by what they hold. A transaction of SQLite has the whole
   * database to itself from its beginning; in PostgreSQL others write at the same time.
   */
  readonly locksRows: boolean;
  readonly columns: ColumnDifferences;
}

/** What migrations need for keys that the database gives out itself, in the order of creation. */
export interface ColumnDifferences {
  /** SQLite numbers the rows of a key of this very name by itself; PostgreSQL's `integer` ends at 2,147,483,647. */
  readonly rowNumber: "integer" | "bigint";
  /** What else such a key takes. */
  readonly numbered: ColumnBuilderCallback;
}

export function adapterOf(db: Connection): StoreAdapter {
  return db.getExecutor().adapter as StoreAdapter;
}

/** The query, such that nobody else changes the rows that it finds before this transaction ends. */
export function locked<Query extends { forNoKeyUpdate(): Query }>(db: Connection, query: Query): Query {
  return adapterOf(db).differences.locksRows ? query.forNoKeyUpdate() : query;
}
