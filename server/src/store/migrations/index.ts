import type { Migration } from "kysely/migration";
import { first } from "#store/migrations/0001-first";

/** All migrations by name, in order. A released one is never edited: a change is a new one at the end. */
export const migrations: Record<string, Migration> = {
  "0001-first": first,
};
