import type { Operations } from "#operations/context";
import type { Quota } from "#operations/quota/quotas";
import { countAllRuns } from "#store/runs/run-counts";
import { findUsers, type User } from "#store/users/users";

export interface UserUsage {
  readonly user: User;
  readonly quota: Quota;
  /** Runs that have not been deleted. */
  readonly runs: number;
  /** Those of them that are queued, pending or running. */
  readonly liveRuns: number;
}

/** Returns what each user has used and may use, in the order of creation, for the administrator. */
export async function listUsage({ db, quotas }: Pick<Operations, "db" | "quotas">): Promise<UserUsage[]> {
  const counts = await countAllRuns(db);
  const usages: UserUsage[] = [];
  // One after the other: counting files is work for the disk, which users need more.
  for (const { sealedToken: _, ...user } of await findUsers(db, {})) {
    const { runs = 0, liveRuns = 0 } = counts.get(user.id) ?? {};
    usages.push({ user, quota: await quotas.of(user.id), runs, liveRuns });
  }
  return usages;
}
