import type { Backend } from "#backends/backend";
import type { Clock } from "#plumbing/clock";
import type { RunRecord } from "#runner/loop/record";
import { writeRecord } from "#runner/loop/write-record";
import { type Connection, transaction } from "#store/database/database";
import type { Placement } from "#store/jobs/job-changes";
import { holdsLease, type Lease, LeaseLostError } from "#store/hosts/leases";

/** Commits the records of one run, as long as its lease holds. */
export interface RunJournal {
  commit(record: RunRecord): Promise<void>;
  /**
   * Throws if the lease is lost. Called before anything irreversible, which a server that was asleep must not do to a
   * run that another server drives.
   */
  assertLease(): Promise<void>;
}

interface JournalContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly backend: Backend;
  readonly hostId: string;
  readonly bootId: string;
}

export function createRunJournal(context: JournalContext, runId: string, lease: Lease): RunJournal {
  const { db, clock, backend, bootId } = context;
  const hostId = backend.isHostBound ? context.hostId : null;
  const placement: Placement = { backend: backend.name, hostId, bootId };
  return {
    commit: (record) => writeRecord(db, { runId, lease, placement, atMs: clock.now() }, record),
    async assertLease() {
      // Reads in a transaction, because that waits until earlier commits are on disk: a stop request must not be lost
      // after its jobs were ended.
      const holds = await transaction(db, (connection) => holdsLease(connection, runId, lease));
      if (!holds) throw new LeaseLostError(runId);
    },
  };
}
