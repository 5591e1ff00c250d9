import { type DialectAdapter, type RawBuilder, sql } from "kysely";
import type { Connection } from "#store/database/connection";
import { adapterIn } from "#store/database/kysely-hooks";

/** Part of a dialect's adapter: the expression for the database's time, in milliseconds since 1970. */
export interface TimeAdapter extends DialectAdapter {
  readonly nowMs: RawBuilder<number>;
}

/** Returns the database's own time, for use in a query: the one clock shared by all servers of the database. */
export function databaseTime(db: Connection): RawBuilder<number> {
  return (adapterIn(db) as TimeAdapter).nowMs;
}

/** Returns the present time of the database's clock, in milliseconds since 1970. */
export async function readDatabaseTime(db: Connection): Promise<number> {
  const { rows } = await sql<{ now: number | string }>`select ${databaseTime(db)} as now`.execute(db);
  return Number(rows[0]!.now);
}
