import type { Kysely } from "kysely";
import type { Tables } from "#store/database/tables";

/** The first argument of every store function: the database, or a transaction that is open on it. */
export type Connection = Kysely<Tables>;
