import type { Connection } from "#store/database/database";

export interface JobOnHost {
  readonly id: string;
  readonly hostId: string;
  /** The name of the host. Null if the host has left the database. */
  readonly hostName: string | null;
  /** True if the host was declared lost or has left. A restored backup has the files of its jobs in the new data folder. */
  readonly isLost: boolean;
}

/** Limit of ids in one query. */
const IDS_AT_ONCE = 1000;

/** Returns the host of each host-bound job in a list. */
export async function hostsOfJobs(db: Connection, ids: readonly string[]): Promise<JobOnHost[]> {
  const found: JobOnHost[] = [];
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
    const rows = await db
      .selectFrom("jobs")
      .leftJoin("hosts", "hosts.id", "jobs.host_id")
      .select(["jobs.id", "jobs.host_id", "hosts.name", "hosts.declared_lost_at"])
      .where("jobs.id", "in", ids.slice(at, at + IDS_AT_ONCE))
      .where("jobs.host_id", "is not", null)
      .execute();
    for (const { id, host_id: hostId, name: hostName, declared_lost_at: lostAt } of rows)
      found.push({ id, hostId: hostId!, hostName, isLost: hostName === null || lostAt !== null });
  }
  return found;
}
