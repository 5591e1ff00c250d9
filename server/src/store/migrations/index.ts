import type { Kysely } from "kysely";
import type { ColumnDifferences } from "#store/adapter";
import { first } from "#store/migrations/0001-first";
import { watching } from "#store/migrations/0002-watching";
import { restarts } from "#store/migrations/0003-restarts";
import { keptAnswers } from "#store/migrations/0004-kept-answers";
import { reuse } from "#store/migrations/0005-reuse";
import { disturbedRuns } from "#store/migrations/0006-disturbed-runs";
import { secrets } from "#store/migrations/0007-secrets";
import { retention } from "#store/migrations/0008-retention";
import { retries } from "#store/migrations/0009-retries";
import { results } from "#store/migrations/0010-results";

/** A change of the tables. It does not use today's types, because it must still work after they have changed. */
export type Migration = (db: Kysely<unknown>, columns: ColumnDifferences) => Promise<void>;

/** All migrations by name, in order. A released migration is never edited: a change is a new one at the end. */
export const migrations: Readonly<Record<string, Migration>> = {
  "0001-first": first,
  "0002-watching": watching,
  "0003-restarts": restarts,
  "0004-kept-answers": keptAnswers,
  "0005-reuse": reuse,
  "0006-disturbed-runs": disturbedRuns,
  "0007-secrets": secrets,
  "0008-retention": retention,
  "0009-retries": retries,
  "0010-results": results,
};
