import type { Kysely } from "kysely";
import type { ColumnDifferences } from "#store/database/adapter";
import { first } from "#store/migrations/0001-first";

/** A change of the tables. It does not use today's types, because it must still work after they have changed. */
export type Migration = (db: Kysely<unknown>, columns: ColumnDifferences) => Promise<void>;

/** The first migration without its checksum. Unreleased versions with other tables have it with another one. */
export const FIRST = "0001-first";

/**
 * All migrations by name, in order. From the first release on none is edited: a change of the tables is a new one at the
 * end. The first one, which is edited until then, ends with a checksum of its tables (index.test.ts).
 */
export const migrations: Readonly<Record<string, Migration>> = { [`${FIRST}-ac13f11c`]: first };

/** Returns whether the migration made the tables of an unreleased version. */
export function isUnreleased(name: string): boolean {
  return name.startsWith(FIRST) && !Object.hasOwn(migrations, name);
}
