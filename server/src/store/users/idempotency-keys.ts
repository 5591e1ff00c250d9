import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";

/** The stored result of a request with an idempotency key. */
export interface StoredResult {
  readonly userId: string;
  readonly key: string;
  /** Hash of the request. */
  readonly fingerprint: string;
  /** The result, encrypted with the server's key: some results contain tokens. */
  readonly sealed: string;
  readonly storedAtMs: number;
}

const resultOf = fixedQuery((db, { userId, key }: { readonly userId: string; readonly key: string }) =>
  db
    .selectFrom("idempotency_keys")
    .select(["fingerprint", "sealed", "stored_at"])
    .where("user_id", "=", userId)
    .where("key", "=", key),
);

export async function maybeStoredResult(
  db: Connection,
  which: { readonly userId: string; readonly key: string },
): Promise<StoredResult | undefined> {
  const row = (await resultOf(db, which)).rows[0];
  return row && { ...which, fingerprint: row.fingerprint, sealed: row.sealed, storedAtMs: row.stored_at };
}

const insertResult = fixedQuery((db, stored: StoredResult) =>
  db
    .insertInto("idempotency_keys")
    .values({
      user_id: stored.userId,
      key: stored.key,
      fingerprint: stored.fingerprint,
      sealed: stored.sealed,
      stored_at: stored.storedAtMs,
    })
    .onConflict((conflict) => conflict.columns(["user_id", "key"]).doNothing()),
);

/** Returns false if the key already has a result. If two inserts are concurrent, the second waits for the first. */
export async function insertStoredResult(db: Connection, stored: StoredResult): Promise<boolean> {
  return (await insertResult(db, stored)).numAffectedRows === 1n;
}

const forget = fixedQuery((db, { beforeMs }: { readonly beforeMs: number }) =>
  db.deleteFrom("idempotency_keys").where("stored_at", "<", beforeMs),
);

export async function forgetStoredResults(db: Connection, beforeMs: number): Promise<void> {
  await forget(db, { beforeMs });
}
