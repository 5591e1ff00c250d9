import type { AccountServices } from "#operations/users/services";
import type { Quota } from "#operations/quota/quotas";
import { countAllRuns } from "#store/runs/run-counts";
import { findUsers, type User } from "#store/users/users";

export interface UserUsage {
  readonly user: User;
  readonly quota: Quota;
  /** Number of runs not deleted. */
  readonly runs: number;
  /** Number of queued, pending and running runs. */
  readonly liveRuns: number;
}

/** Returns what each user has used and may use, in the order of creation, for the administrator. */
export async function listUsage({
  db,
  quotas,
}: Pick<AccountServices, "db" | "quotas">): Promise<UserUsage[]> {
  const counts = await countAllRuns(db);
  const usages: UserUsage[] = [];
  // Folders are counted in sequence, to leave most of the disk's time to users' jobs.
  for (const { sealedToken: _, ...user } of await findUsers(db, {})) {
    const { runs = 0, liveRuns = 0 } = counts.get(user.id) ?? {};
    usages.push({ user, quota: await quotas.of(user.id), runs, liveRuns });
  }
  return usages;
}
