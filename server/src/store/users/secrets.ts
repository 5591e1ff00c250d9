import { sql } from "kysely";
import { locked } from "#store/database/adapter";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import type { SecretType } from "#workflow/people/secret";

export interface StoredSecret {
  readonly name: string;
  readonly type: SecretType;
  readonly sealed: string;
}

/** Returns the secrets that the user's jobs receive, sorted by name. */
export async function currentSecrets(db: Connection, userId: string): Promise<StoredSecret[]> {
  return (await current(db, { userId })).rows;
}

const current = fixedQuery((db, { userId }: { userId: string }) =>
  db
    .selectFrom("secrets")
    .select(["name", "type", "sealed"])
    .where("user_id", "=", userId)
    .where("removed_at", "is", null)
    .orderBy("name"),
);

/** Returns all secrets of the user, including removed secrets that may still occur in a log. */
export async function allSealedSecrets(db: Connection, userId: string): Promise<string[]> {
  return (await everySealed(db, { userId })).rows.map((row) => row.sealed);
}

const everySealed = fixedQuery((db, { userId }: { userId: string }) =>
  db.selectFrom("secrets").select("sealed").where("user_id", "=", userId),
);

/** Serializes changes to a user's secrets. Must run inside a transaction. */
export async function lockSecrets(db: Connection, userId: string): Promise<void> {
  await locked(db, db.selectFrom("users").select("id").where("id", "=", userId)).execute();
}

export interface NewSecret extends StoredSecret {
  readonly id: string;
  readonly userId: string;
  readonly createdAtMs: number;
}

export async function insertSecret(db: Connection, secret: NewSecret): Promise<void> {
  const { id, userId, name, type, sealed, createdAtMs } = secret;
  await db
    .insertInto("secrets")
    .values({ id, user_id: userId, name, type, sealed, created_at: createdAtMs, removed_at: null })
    .execute();
}

/** Hides secrets from new jobs. Their values are kept for masking logs until `forgetUnusedSecrets`. */
export async function removeSecrets(
  db: Connection,
  userId: string,
  names: readonly string[],
  atMs: number,
): Promise<void> {
  await db
    .updateTable("secrets")
    .set({ removed_at: atMs })
    .where("user_id", "=", userId)
    .where("name", "in", [...names])
    .where("removed_at", "is", null)
    .execute();
}

/** Allowed difference between the clocks of two hosts. */
const SLACK_MS = 60_000;

/**
 * Deletes removed secrets that no log can contain: all runs started before the removal have lost their files.
 */
export async function forgetUnusedSecrets(db: Connection, userId: string): Promise<void> {
  await db
    .deleteFrom("secrets")
    .where("user_id", "=", userId)
    .where("removed_at", "is not", null)
    .where((expression) =>
      expression.not(
        expression.exists(
          expression
            .selectFrom("workspaces")
            .innerJoin("runs", "runs.workspace_id", "workspaces.id")
            .select("runs.id")
            .where("workspaces.owner_id", "=", userId)
            .where("workspaces.removed_at", "is", null)
            .where(sql<boolean>`runs.started_at <= secrets.removed_at + ${sql.lit(SLACK_MS)}`),
        ),
      ),
    )
    .execute();
}
