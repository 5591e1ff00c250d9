import { setImmediate } from "node:timers/promises";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import type { JobRecord } from "#store/jobs/jobs";

/** The memory that a job used and may use. */
export interface JobMemory extends Pick<JobRecord, "name" | "key" | "status" | "peakBytes"> {
  readonly limitBytes: number | null;
}

interface MemoryWanted {
  readonly runId: string;
  /** Position of the first job. */
  readonly fromOrdinal: number;
}

const JOBS_AT_ONCE = 1000;

/** Returns the memory of a run's jobs in pieces, in order of submission. Other work gets its turn between two pieces. */
export async function* memoryOfJobs(
  db: Connection,
  { runId, fromOrdinal }: MemoryWanted,
): AsyncGenerator<readonly JobMemory[]> {
  for (let from = fromOrdinal; ;) {
    const { rows } = await memoryRows(db, { runId, from });
    yield rows.map(({ name, key, status, peak_bytes: peakBytes, memory_limit_bytes: limitBytes }) => ({
      name,
      key,
      status,
      peakBytes,
      limitBytes,
    }));
    if (rows.length < JOBS_AT_ONCE) return;
    from = rows.at(-1)!.ordinal + 1;
    await setImmediate();
  }
}

const memoryRows = fixedQuery((db, { runId, from }: { runId: string; from: number }) =>
  db
    .selectFrom("jobs")
    .select(["ordinal", "name", "key", "status", "peak_bytes", "memory_limit_bytes"])
    .where("run_id", "=", runId)
    .where("ordinal", ">=", from)
    .orderBy("ordinal")
    .limit(JOBS_AT_ONCE),
);
