import type { DialectAdapter, RawBuilder } from "kysely";
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
