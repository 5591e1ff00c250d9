import type { RawBuilder } from "kysely";
import type { Connection } from "#store/database/connection";
import type { TimeAdapter } from "#store/database/database-time";
import type { KeepsFixedQueries } from "#store/database/fixed-query";
import { adapterIn } from "#store/database/kysely-hooks";
import type { CountsLoad } from "#store/database/load";
import type { WakeUpAdapter } from "#store/database/wake-ups";
import type { ColumnDifferences } from "#store/migrations/columns";

/** Everything the store needs to know about its database: fixed queries, the time, wake-ups, load and differences. */
export interface StoreAdapter extends KeepsFixedQueries, TimeAdapter, WakeUpAdapter, CountsLoad {
  readonly differences: Differences;
  /** Runs a transaction, and repeats it if the first attempt surely left nothing behind and a repeat may succeed. */
  attempt<Result>(transaction: () => Promise<Result>): Promise<Result>;
  /** Called inside a migration transaction. Refuses an unusable database and keeps a second migration out. */
  beginMigration(db: Connection): Promise<void>;
  /** Returns the size of the database on its disk. */
  bytes(db: Connection): Promise<number>;
  /** Moves the number sequence past runs that were inserted with explicit numbers. */
  numberAfter(db: Connection): Promise<void>;
}

/** Intended differences between the databases, each with its reason. */
export interface Differences {
  /**
   * True if rows must be locked before a decision is made from their contents. A SQLite transaction has the whole
   * database to itself from the start. In PostgreSQL, other transactions write at the same time.
   */
  readonly locksRows: boolean;
  readonly columns: ColumnDifferences;
  /** Name of the function that returns the greatest of several values. */
  readonly greatest: "max" | "greatest";
  /** A table of one row, whose values are parameters. `values` holds the value of each column. */
  readonly givenRow: (columns: GivenColumns, values: object) => RawBuilder<unknown>;
  /** A table of the rows in a text of JSON. Each database reads JSON in its own way. */
  readonly givenRows: (columns: GivenColumns, rows: string) => RawBuilder<unknown>;
  /** Returns a text as a column holds it, for texts within JSON, which the driver does not see. */
  readonly storedText: (text: string) => string;
}

/** Columns of the rows passed to a statement, with their types. */
export type GivenColumns = Readonly<Record<string, "text" | "integer" | "bigint">>;

export function adapterOf(db: Connection): StoreAdapter {
  return adapterIn(db) as StoreAdapter;
}

/**
 * Returns the query with a row lock: no other transaction can change the rows before this transaction ends.
 */
export function locked<Query extends { forNoKeyUpdate(): Query }>(db: Connection, query: Query): Query {
  return adapterOf(db).differences.locksRows ? query.forNoKeyUpdate() : query;
}
