import type { DialectAdapter, RawBuilder } from "kysely";
import type { Connection } from "#store/connection";

/** What a dialect's adapter carries besides: how to ask the database for the time, in milliseconds since 1970. */
export interface TellsTime extends DialectAdapter {
  readonly nowMs: RawBuilder<number>;
}

/** The database's own time, within a query: the one clock that all who share a database agree on. */
export function databaseTime(db: Connection): RawBuilder<number> {
  return (db.getExecutor().adapter as TellsTime).nowMs;
}
