import { type Backends, firstQueueReason } from "#backends/backends";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import type { RunRecord } from "#runner/turn/record";
import { writeRecord } from "#runner/turn/write-record";
import { type Connection, transaction } from "#store/database/database";
import { notify } from "#store/database/wake-ups";
import { noteJobs } from "#store/jobs/change-jobs";
import type { JobNote, Placement } from "#store/jobs/job-changes";
import { checkLease, holdsLease, type Lease, LeaseLostError } from "#store/hosts/leases";
import type { Job } from "#workflow/job/job";

/** Commits the records of one run while the lease holds. */
export interface RunJournal {
  commit(record: RunRecord): Promise<void>;
  /** Records the reports of backends about jobs in progress. A report moves no run forward. */
  note(notes: readonly JobNote[]): Promise<void>;
  /**
   * Throws if the lease is lost. Called before anything irreversible, which a suspended server must not do to
   * a run of another server.
   */
  assertLease(): Promise<void>;
}

interface JournalContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly backends: Backends;
  readonly hostId: string;
}

/** `takeEngineMs` returns the processor time of the run's engine that no record has counted. */
export function createRunJournal(
  context: JournalContext,
  runId: string,
  lease: Lease,
  takeEngineMs: () => number = () => 0,
): RunJournal {
  const { db, clock, backends } = context;
  const placementOf = (job: Job): Placement => {
    const backend = backends.forJob(job);
    const { name, isHostBound, hostToken } = backend;
    return {
      backend: name,
      hostId: isHostBound ? context.hostId : null,
      hostToken,
      queueReason: firstQueueReason(backend, job),
    };
  };
  return {
    commit(record) {
      const writing = { runId, lease, placementOf, atMs: clock.now(), engineMs: takeEngineMs() };
      return writeRecord(db, writing, record);
    },
    async note(notes) {
      await transaction(db, async (connection) => {
        await checkLease(connection, runId, lease);
        await noteJobs(connection, runId, notes, clock.now());
        await notify(connection, { kind: "run-changed", runId });
      });
      crashPoint("job-noted");
    },
    async assertLease() {
      // Reads in a transaction, because that waits until earlier commits are on disk: a stop request must not be lost
      // after its jobs were ended.
      const holds = await transaction(db, (connection) => holdsLease(connection, runId, lease));
      if (!holds) throw new LeaseLostError(runId);
    },
  };
}
