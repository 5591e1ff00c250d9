import type { Backend } from "#backends/backend";
import type { Clock } from "#plumbing/clock";
import { type Moment, record, recordAdmission } from "#runner/record";
import { type Connection, transaction } from "#store/database";
import type { Placement } from "#store/job-changes";
import { holdsLease, type Lease, LeaseLostError } from "#store/leases";

/** Writes for one run, as long as its lease holds. */
export interface RunWriter {
  record(moment: Omit<Moment, "workflowId" | "lease" | "atMs">): Promise<void>;
  /** Records that waiting jobs have been given their places. */
  admit(jobIds: readonly string[]): Promise<void>;
  /**
   * Throws if the lease is lost. Called before anything irreversible, which a server that was asleep must not do to a
   * run that another server drives.
   */
  mustHoldLease(): Promise<void>;
}

interface WriterContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly backend: Backend;
  readonly hostId: string;
  readonly bootId: string;
}

export function runWriter(context: WriterContext, workflowId: string, lease: Lease): RunWriter {
  const { db, clock, backend, bootId } = context;
  const hostId = backend.isHostBound ? context.hostId : null;
  const placement: Placement = { backend: backend.name, hostId, bootId };
  return {
    record: (moment) => record(db, { ...moment, workflowId, lease, atMs: clock.now() }, placement),
    admit: (jobIds) =>
      recordAdmission(db, { workflowId, lease }, jobIds, { ...placement, atMs: clock.now() }),
    async mustHoldLease() {
      // A transaction makes sure that the stop that is about to be carried out is on disk first.
      const holds = await transaction(db, (connection) => holdsLease(connection, workflowId, lease));
      if (!holds) throw new LeaseLostError(workflowId);
    },
  };
}
