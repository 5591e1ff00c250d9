import { type RawBuilder, sql } from "kysely";
import type { Connection } from "#store/database/database";
import { type Run, RUN_COLUMNS, toRun } from "#store/runs/runs";
import { fullName } from "#workflow/run/run-name";
import { KEEP_TAG } from "#workflow/run/retention";
import { LIVE_STATUSES } from "#workflow/run/run-status";

interface OldRuns {
  /** Runs with an earlier end are old. */
  readonly endedBeforeMs: number;
  readonly max: number;
}

/** True if the owner keeps the run by a tag. A deleted run has nothing to keep. */
const isHeld = sql<boolean>`(status != 'deleted' and exists (
  select 1 from run_tags where run_seq = runs.seq and tag = ${sql.lit(KEEP_TAG)}))`;
/** The exact wording of two indexes. The planner would not use the indexes for any other wording. */
const endedAt = sql<number>`coalesce(finished_at, stopped_at)`;
const isToDelete = sql<boolean>`status != 'deleted' and coalesce(finished_at, stopped_at) is not null`;
const isToEmpty = sql<boolean>`emptied_at is null and coalesce(finished_at, stopped_at) is not null`;

/**
 * Returns runs with an end before the given time, the oldest first. Runs never started have no end. A run
 * stays while another run of its workspace is live, because the live run may have taken over jobs. A run with
 * the tag to keep it stays as well.
 */
export async function runsToDelete(db: Connection, { endedBeforeMs, max }: OldRuns): Promise<Run[]> {
  const rows = await db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where(isToDelete)
    .where(endedBefore(endedBeforeMs))
    .where(sql<boolean>`not ${isHeld}`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("runs as live")
            .select("live.id")
            .whereRef("live.workspace_id", "=", "runs.workspace_id")
            .where("live.status", "in", LIVE_STATUSES),
        ),
      ),
    )
    .orderBy(endedAt)
    .limit(max)
    .execute();
  return rows.map(toRun);
}

/**
 * Returns the oldest run with an earlier end and events still to empty, except runs with the tag to keep them. The run
 * may have been deleted.
 */
export async function maybeRunToEmpty(db: Connection, endedBeforeMs: number): Promise<string | undefined> {
  const row = await db
    .selectFrom("runs")
    .select("id")
    .where(isToEmpty)
    .where(endedBefore(endedBeforeMs))
    .where(sql<boolean>`not ${isHeld}`)
    .orderBy(endedAt)
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** Returns whether the owner keeps the run by a tag. */
export async function isKept(db: Connection, runId: string): Promise<boolean> {
  const query = db.selectFrom("runs").select("id").where("id", "=", runId).where(isHeld);
  return (await query.executeTakeFirst()) !== undefined;
}

export interface EndedRuns {
  readonly counts: Readonly<Record<"finished" | "failed" | "stopped", number>>;
  /** The newest ones. */
  readonly failed: readonly { readonly name: string; readonly ownerEmail: string }[];
}

/**
 * Returns the number of runs of all users ended since the given time and not deleted, and the failed runs.
 */
export async function endedRunsSince(db: Connection, sinceMs: number, maxFailed: number): Promise<EndedRuns> {
  const ended = db
    .selectFrom("runs")
    .where(isToDelete)
    .where(sql<boolean>`${endedAt} >= ${sinceMs}`);
  const rows = await ended
    .select((is) => ["status", is.fn.countAll<number | string>().as("total")])
    .groupBy("status")
    .execute();
  const failed = await ended
    .innerJoin("users", "users.id", "runs.owner_id")
    .select(["name", "run_major", "run_minor", "users.email"])
    .where("status", "=", "failed")
    .orderBy("runs.seq", "desc")
    .limit(maxFailed)
    .execute();
  const count = (status: string) => Number(rows.find((row) => row.status === status)?.total ?? 0);
  return {
    counts: { finished: count("finished"), failed: count("failed"), stopped: count("stopped") },
    failed: failed.map((row) => ({
      name: fullName(row.name, row.run_major, row.run_minor),
      ownerEmail: row.email,
    })),
  };
}

function endedBefore(ms: number): RawBuilder<boolean> {
  return sql<boolean>`${endedAt} < ${ms}`;
}

/** Records that all events are emptied, and removes the snapshot. */
export async function markEmptied(db: Connection, runId: string, atMs: number): Promise<void> {
  await db.deleteFrom("run_snapshots").where("run_id", "=", runId).execute();
  await db.updateTable("runs").set({ emptied_at: atMs }).where("id", "=", runId).execute();
}
