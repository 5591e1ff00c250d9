import type { Connection } from "#store/database/database";

/** A run that repeats another one to verify its results. */
export interface Verification {
  /** The repetition. */
  readonly runId: string;
  /** The run whose results are verified. */
  readonly verifiedId: string;
}

/** Records that a run repeats another. Must run in the transaction inserting the run. */
export async function insertVerification(db: Connection, { runId, verifiedId }: Verification): Promise<void> {
  await db
    .insertInto("verifications")
    .values({ run_id: runId, verified_id: verifiedId, experiment: null })
    .execute();
}

/** Returns the verification that a run carries out, or else the newest one of the run. */
export async function maybeVerification(db: Connection, runId: string): Promise<Verification | undefined> {
  const own = await db
    .selectFrom("verifications")
    .select(["run_id", "verified_id"])
    .where("run_id", "=", runId)
    .where("experiment", "is", null)
    .executeTakeFirst();
  const row = own ?? (await newestOf(db, runId));
  return row && { runId: row.run_id, verifiedId: row.verified_id };
}

async function newestOf(db: Connection, verifiedId: string) {
  return db
    .selectFrom("verifications")
    .innerJoin("runs", "runs.id", "verifications.run_id")
    .select(["verifications.run_id", "verifications.verified_id"])
    .where("verified_id", "=", verifiedId)
    .where("experiment", "is", null)
    .orderBy("runs.seq", "desc")
    .limit(1)
    .executeTakeFirst();
}
