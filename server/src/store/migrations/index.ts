import type { Kysely } from "kysely";
import type { ColumnDifferences } from "#store/migrations/columns";
import { first } from "#store/migrations/0001-first";

/**
 * A change of the tables. Does not use today's types, because a migration must still work after later
 * changes.
 */
export type Migration = (db: Kysely<unknown>, columns: ColumnDifferences) => Promise<void>;

/**
 * The first migration's name without its checksum. Unreleased versions with different tables use this name
 * with a different checksum.
 */
export const FIRST = "0001-first";

/**
 * All migrations by name, in order. From the first release on, migrations are never edited: a change of the
 * tables is appended as a new migration. The first migration, edited until the release, ends with a checksum
 * of the tables (index.test.ts).
 */
export const migrations: Readonly<Record<string, Migration>> = { [`${FIRST}-6f1dbbd1`]: first };

/**
 * Returns whether a migration only adds tables, and columns that may be null or have a default. The name tells,
 * as in `0002-adds-labels`, because older servers know only the name. Older servers of the same minor version continue,
 * and may start. Any other migration needs a new minor version.
 */
export function onlyAdds(name: string): boolean {
  return /^\d{4}-adds-/.test(name);
}

/** Returns whether the migration made the tables of an unreleased version. */
export function isUnreleased(name: string): boolean {
  return name.startsWith(FIRST) && !Object.hasOwn(migrations, name);
}
