import { sql } from "kysely";
import { adapterOf, locked } from "#store/database/adapter";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { isPresent, reaches } from "#store/hosts/hosts";
import { toRun, type Run, RUN_COLUMNS } from "#store/runs/runs";
import { DRIVEN_STATUSES } from "#workflow/run/run-status";

/** The right to drive a run. Taking it raises the epoch, which ends the previous holder's right. */
export interface Lease {
  readonly hostId: string;
  readonly epoch: number;
}

/** Thrown if another server has taken the run over. Nothing has been written. */
export class LeaseLostError extends Error {
  constructor(runId: string) {
    super(`Another server drives the run ${runId}: nothing was written.`);
    this.name = "LeaseLostError";
  }
}

/**
 * Takes the lease of a pending or running run. Returns undefined if another host holds the run or its running jobs.
 * Call it in a transaction. The row is locked by a separate statement: a statement that waits for a lock would see
 * hosts and jobs as they were before the other transaction's changes.
 */
export async function maybeTakeLease(
  db: Connection,
  runId: string,
  hostId: string,
): Promise<Lease | undefined> {
  if (adapterOf(db).differences.locksRows) await lockRow(db, { runId });
  const { rows } = await takeLease(db, { runId, hostId });
  return rows[0] && { hostId, epoch: rows[0].lease_epoch };
}

const lockRow = fixedQuery((db, { runId }: { runId: string }) =>
  locked(db, db.selectFrom("runs").select("id").where("id", "=", runId)),
);

const takeLease = fixedQuery((db, { runId, hostId }: { runId: string; hostId: string }) =>
  db
    .updateTable("runs")
    .set((column) => ({
      held_by: hostId,
      lease_epoch: column("lease_epoch", "+", 1),
      waiting_for: null,
    }))
    .where("id", "=", runId)
    .where("status", "in", DRIVEN_STATUSES)
    .where(isFreeFor(db, hostId))
    .returning("lease_epoch"),
);

/**
 * Returns the pending and running runs that a host may take: its own from before a restart, and runs of hosts
 * that are gone.
 */
export async function runsToTake(db: Connection, hostId: string): Promise<Run[]> {
  const rows = await db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where("status", "in", DRIVEN_STATUSES)
    .where(isFreeFor(db, hostId))
    .orderBy("queued_at")
    .orderBy("seq")
    .execute();
  return rows.map(toRun);
}

/**
 * True if no present host holds the run and the run has no job bound to another host, because only the bound
 * host can see whether a job still runs. Jobs of a cluster bind a run to the hosts that have this backend and its folder. A host
 * declared lost binds no jobs. A run taken from a lost host
 * stays with the new host after the lost host returns.
 */
function isFreeFor(db: Connection, hostId: string) {
  return sql<boolean>`(
    (runs.held_by is null or runs.held_by = ${hostId} or not exists (
      select 1 from hosts where hosts.id = runs.held_by and ${isPresent(db)}))
    and (runs.held_by = ${hostId} or not exists (
      select 1 from jobs join hosts on hosts.id = jobs.host_id
      where jobs.run_id = runs.id and jobs.status = 'running'
        and jobs.host_id <> ${hostId} and hosts.declared_lost_at is null))
    and (runs.held_by = ${hostId} or not exists (
      select 1 from jobs join hosts on ${reaches(sql`hosts`)}
      where jobs.run_id = runs.id and jobs.status = 'running' and jobs.host_id is null
        and hosts.declared_lost_at is null
        and not exists (select 1 from hosts as here where here.id = ${hostId} and ${reaches(sql`here`)}))))`;
}

/** Throws if the lease has passed to another host. Call it in the transaction that writes for the run. */
export async function checkLease(db: Connection, runId: string, lease: Lease): Promise<void> {
  const { rows } = await rowOfEpoch(db, { runId, epoch: lease.epoch });
  if (rows.length !== 1) throw new LeaseLostError(runId);
}

/** Locks the row: on PostgreSQL no other host can take the lease before this transaction ends. */
const rowOfEpoch = fixedQuery((db, { runId, epoch }: { runId: string; epoch: number }) =>
  locked(db, db.selectFrom("runs").select("id").where("id", "=", runId).where("lease_epoch", "=", epoch)),
);

/** Returns whether the lease is still valid by the database's clock. Call it before an action that cannot be undone. */
export async function holdsLease(db: Connection, runId: string, lease: Lease): Promise<boolean> {
  const { rows } = await validLease(db, { runId, ...lease });
  return rows.length === 1;
}

const validLease = fixedQuery((db, { runId, hostId, epoch }: Lease & { readonly runId: string }) =>
  db
    .selectFrom("runs")
    .innerJoin("hosts", "hosts.id", "runs.held_by")
    .select("runs.id")
    .where("runs.id", "=", runId)
    .where("runs.held_by", "=", hostId)
    .where("runs.lease_epoch", "=", epoch)
    .where(isPresent(db)),
);

/** Returns the runs with a stop request held by a host. */
export async function heldRunsToStop(db: Connection, hostId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("runs")
    .select("id")
    .where("status", "in", DRIVEN_STATUSES)
    .where("held_by", "=", hostId)
    .where("stop_requested_at", "is not", null)
    .execute();
  return rows.map((row) => row.id);
}

/**
 * Stores why a live run is waiting; taking the lease clears the sentence. Writes nothing if the lease has been taken
 * since, here or elsewhere, because the run then continues.
 */
export async function setWaitingFor(
  db: Connection,
  { runId, lease }: { readonly runId: string; readonly lease: Lease },
  sentence: string | null,
): Promise<void> {
  await db
    .updateTable("runs")
    .set({ waiting_for: sentence })
    .where("id", "=", runId)
    .where("held_by", "=", lease.hostId)
    .where("lease_epoch", "=", lease.epoch)
    .where("status", "in", DRIVEN_STATUSES)
    .execute();
}
