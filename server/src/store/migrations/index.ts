import type { Kysely } from "kysely";
import type { ColumnDifferences } from "#store/database/adapter";
import { first } from "#store/migrations/0001-first";

/** A change of the tables. It does not use today's types, because it must still work after they have changed. */
export type Migration = (db: Kysely<unknown>, columns: ColumnDifferences) => Promise<void>;

/**
 * All migrations by name, in order. From the first release on none is edited: a change of the tables is a new one at the
 * end.
 */
export const migrations: Readonly<Record<string, Migration>> = { "0001-first": first };
