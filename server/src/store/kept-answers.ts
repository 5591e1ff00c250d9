import type { Connection } from "#store/database";
import { fixedQuery } from "#store/fixed-query";

/** The stored response to a request with an idempotency key. */
export interface KeptAnswer {
  readonly userId: string;
  readonly key: string;
  /** Hash of the request. */
  readonly fingerprint: string;
  /** The response, encrypted with the server's key: some responses contain tokens. */
  readonly sealed: string;
  readonly keptAtMs: number;
}

const answerOf = fixedQuery((db, { userId, key }: { readonly userId: string; readonly key: string }) =>
  db
    .selectFrom("kept_answers")
    .select(["fingerprint", "sealed", "kept_at"])
    .where("user_id", "=", userId)
    .where("key", "=", key),
);

export async function maybeKeptAnswer(
  db: Connection,
  which: { readonly userId: string; readonly key: string },
): Promise<KeptAnswer | undefined> {
  const row = (await answerOf(db, which)).rows[0];
  return row && { ...which, fingerprint: row.fingerprint, sealed: row.sealed, keptAtMs: row.kept_at };
}

const insertAnswer = fixedQuery((db, answer: KeptAnswer) =>
  db
    .insertInto("kept_answers")
    .values({
      user_id: answer.userId,
      key: answer.key,
      fingerprint: answer.fingerprint,
      sealed: answer.sealed,
      kept_at: answer.keptAtMs,
    })
    .onConflict((conflict) => conflict.columns(["user_id", "key"]).doNothing()),
);

/** Returns false if the key already has a response. Of two concurrent inserts, the second waits for the first. */
export async function insertKeptAnswer(db: Connection, answer: KeptAnswer): Promise<boolean> {
  return (await insertAnswer(db, answer)).numAffectedRows === 1n;
}

const forget = fixedQuery((db, { beforeMs }: { readonly beforeMs: number }) =>
  db.deleteFrom("kept_answers").where("kept_at", "<", beforeMs),
);

export async function forgetKeptAnswers(db: Connection, beforeMs: number): Promise<void> {
  await forget(db, { beforeMs });
}
