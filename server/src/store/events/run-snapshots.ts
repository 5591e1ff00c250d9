import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";

/** State of a run after one of its events. A replay starts from the snapshot instead of the first event. */
export interface RunSnapshot {
  /** Number of the last event included. */
  readonly seq: number;
  readonly engineVersion: number;
  /** Number of jobs issued so far. Their keys are the keys of the run's first `jobCount` jobs, in order. */
  readonly jobCount: number;
  /** The state of the engine, as JSON. */
  readonly state: string;
  /** Outstanding jobs and questions of the run, as JSON. */
  readonly outstanding: string;
}

/** Stores a snapshot, replacing the run's previous one. */
export async function putSnapshot(db: Connection, runId: string, snapshot: RunSnapshot): Promise<void> {
  const columns = {
    seq: snapshot.seq,
    engine_version: snapshot.engineVersion,
    job_count: snapshot.jobCount,
    state: snapshot.state,
    outstanding: snapshot.outstanding,
  };
  await db
    .insertInto("run_snapshots")
    .values({ run_id: runId, ...columns })
    .onConflict((conflict) => conflict.column("run_id").doUpdateSet(columns))
    .execute();
}

export async function maybeSnapshot(db: Connection, runId: string): Promise<RunSnapshot | undefined> {
  const row = (await snapshotOf(db, { runId })).rows[0];
  return (
    row && {
      seq: row.seq,
      engineVersion: row.engine_version,
      jobCount: row.job_count,
      state: row.state,
      outstanding: row.outstanding,
    }
  );
}

const snapshotOf = fixedQuery((db, { runId }: { runId: string }) =>
  db
    .selectFrom("run_snapshots")
    .select(["seq", "engine_version", "job_count", "state", "outstanding"])
    .where("run_id", "=", runId),
);
