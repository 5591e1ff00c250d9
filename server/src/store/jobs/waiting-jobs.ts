import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { openJobCondition, shownStatusIs } from "#store/database/status-in";
import type { JobRecord } from "#store/jobs/jobs";

/**
 * Returns a submitted job of the run: a running one, or else a running one with a concern, or else one in a queue.
 * Undefined if no job is submitted.
 */
export async function maybeSubmitted(
  db: Connection,
  { id, jobsRunning }: { readonly id: string; readonly jobsRunning: number },
): Promise<Pick<JobRecord, "backend" | "queueReason" | "concern"> | undefined> {
  // If no job counts as running, that search would read all open jobs, so it comes last, for a job that has just started.
  const searches = [firstConcerned, firstQueued];
  for (const first of jobsRunning > 0 ? [firstRunning, ...searches] : [...searches, firstRunning]) {
    const [row] = (await first(db, { runId: id })).rows;
    if (row) return { backend: row.backend, queueReason: row.queue_reason, concern: row.concern };
  }
  return undefined;
}

const firstRunning = fixedQuery((db, { runId }: { runId: string }) =>
  openOf(db, runId).where(shownStatusIs("running")).where("concern", "is", null).limit(1),
);

/** Only an open job has a concern. */
const firstConcerned = fixedQuery((db, { runId }: { runId: string }) =>
  submittedOf(db, runId).where("concern", "is not", null).orderBy("ordinal").limit(1),
);

const firstQueued = fixedQuery((db, { runId }: { runId: string }) =>
  openOf(db, runId).where("queue_reason", "is not", null).orderBy("ordinal").limit(1),
);

function openOf(db: Connection, runId: string) {
  return submittedOf(db, runId).where(openJobCondition);
}

function submittedOf(db: Connection, runId: string) {
  return db.selectFrom("jobs").select(["backend", "queue_reason", "concern"]).where("run_id", "=", runId);
}

/** Returns how many jobs of a run have not been submitted yet, and how many of them are further attempts. */
export async function countUnsubmitted(
  db: Connection,
  runId: string,
): Promise<{ readonly jobs: number; readonly retries: number }> {
  const [row] = (await unsubmitted(db, { runId })).rows;
  return { jobs: Number(row!.jobs), retries: Number(row!.retries) };
}

const unsubmitted = fixedQuery((db, { runId }: { runId: string }) =>
  db
    .selectFrom("jobs")
    .select([
      sql<number | string>`count(*)`.as("jobs"),
      sql<number | string>`count(case when attempt > 1 then 1 end)`.as("retries"),
    ])
    .where("run_id", "=", runId)
    .where(openJobCondition)
    .where("status", "=", "created"),
);
