import type { WatchServices } from "#operations/watch/services";
import type { Page } from "#operations/page";
import { findUser } from "#operations/users/accounts";
import { maybeWaitingFor } from "#operations/watch/waiting-for";
import { countAllRuns, pageOfAllRuns } from "#store/runs/all-runs";
import type { Run } from "#store/runs/runs";
import { emailsOf } from "#store/users/users";
import { RUN_STATUSES, type RunStatus } from "#workflow/run/run-status";

/** A run as the administrator sees it, without anything from its files, commands, parameters or logs. */
export interface RunMetadata {
  readonly run: Run;
  readonly ownerEmail: string;
  readonly waitingFor: string | undefined;
}

export interface AllRunsQuery {
  /** Defaults to every status but `deleted`. */
  readonly statuses?: readonly RunStatus[];
  /** Id or e-mail address. Optional: if absent, all users. */
  readonly user?: string | undefined;
  readonly page: number;
  readonly size: number;
}

const CURRENT = RUN_STATUSES.filter((status) => status !== "deleted");

/** Lists the runs of all users for the administrator, the newest first, with what each live run waits for. */
export async function listAllRuns(
  { db, scheduler }: Pick<WatchServices, "db" | "scheduler">,
  { statuses = CURRENT, user, page, size }: AllRunsQuery,
): Promise<Page<RunMetadata>> {
  const owner = user === undefined ? {} : { ownerId: (await findUser(db, user)).id };
  const filter = { statuses, ...owner };
  const runs = await pageOfAllRuns(db, filter, { offset: (page - 1) * size, limit: size });
  const emails = await emailsOf(db, [...new Set(runs.map(({ ownerId }) => ownerId))]);
  const items: RunMetadata[] = [];
  for (const run of runs) {
    const waitingFor = await maybeWaitingFor(db, run, scheduler.hostStatus());
    items.push({ run, ownerEmail: emails.get(run.ownerId)!, waitingFor });
  }
  return { items, total: await countAllRuns(db, filter), page, size };
}
