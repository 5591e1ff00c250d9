import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { together } from "#store/database/together";
import { countNodes, type NodeChange } from "#store/jobs/run-nodes";

export type { NodeChange } from "#store/jobs/run-nodes";

/** Changes to the totals of a run and of its nodes. */
export interface CountChange {
  readonly running?: number;
  readonly finished?: number;
  readonly failed?: number;
  readonly cpuMs?: number;
  readonly nodes?: readonly NodeChange[];
}

/**
 * Adds to the totals of a run and of its nodes, and sets the number of jobs that the run is expected to have.
 * Call it in the transaction that changes the jobs.
 */
export async function addCounts(
  db: Connection,
  runId: string,
  changes: readonly CountChange[],
  expected?: number,
): Promise<void> {
  const sum = (name: Exclude<keyof CountChange, "nodes">) =>
    changes.reduce((total, change) => total + (change[name] ?? 0), 0);
  const move = {
    running: sum("running"),
    finished: sum("finished"),
    failed: sum("failed"),
    cpuMs: sum("cpuMs"),
  };
  await together([
    countNodes(
      db,
      runId,
      changes.flatMap(({ nodes }) => nodes ?? []),
    ),
    (expected !== undefined || Object.values(move).some((change) => change !== 0)) &&
      moveCounters(db, { ...move, runId, expected: expected ?? null }),
  ]);
}

interface CounterMove {
  readonly runId: string;
  readonly running: number;
  readonly finished: number;
  readonly failed: number;
  readonly cpuMs: number;
  readonly expected: number | null;
}

const moveCounters = fixedQuery((db, { runId, running, finished, failed, cpuMs, expected }: CounterMove) =>
  db
    .updateTable("runs")
    .set((column) => ({
      jobs_total: sql<number>`coalesce(${expected}, jobs_total)`,
      jobs_running: column("jobs_running", "+", running),
      jobs_finished: column("jobs_finished", "+", finished),
      jobs_failed: column("jobs_failed", "+", failed),
      cpu_ms: column("cpu_ms", "+", cpuMs),
    }))
    .where("id", "=", runId),
);
