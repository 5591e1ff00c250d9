import type { Kysely } from "kysely";
import type { Tables } from "#store/tables";

/** What every function of the store takes first: the database, or a transaction that is open on it. */
export type Connection = Kysely<Tables>;
