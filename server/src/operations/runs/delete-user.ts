import type { RunServices } from "#operations/runs/services";
import { type DeleteContext, deleteUnlessLive } from "#operations/runs/delete-run";
import { askToStop } from "#operations/runs/stop-run";
import { findUser, refuseLastAdmin } from "#operations/users/accounts";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { isUuid } from "#plumbing/ids";
import { counted } from "#plumbing/text/counted";
import { type Connection, transaction } from "#store/database/database";
import {
  countRunsOf,
  liveRunIds,
  markDeleted,
  markErased,
  markToErase,
  maybeDeletedUser,
  runsToErase,
  usersToErase,
} from "#store/users/deleted-users";
import { maybeAdmin, type User } from "#store/users/users";

export interface UserDeletion {
  /** Id or e-mail address. */
  readonly user: string;
  /** Also delete the runs with their files. Otherwise the runs are kept until the user is added again. */
  readonly withData: boolean;
  /** Stop live runs first. Otherwise a user with live runs is not deleted. */
  readonly stopsRuns: boolean;
}

export interface DeletedUser {
  readonly id: string;
  readonly email: string;
  /** Number of runs kept or scheduled for deletion. */
  readonly runs: number;
  /** Number of live runs that are being stopped. */
  readonly stopped: number;
}

/**
 * Deletes a user: tokens, sessions, shares, memberships, secrets and notifications end at once. The server
 * closes open notebooks within seconds, as it does when a user is disabled. `createErasure` deletes the runs
 * in batches: thousands of runs need no long request, and a killed server continues after its next start.
 */
export async function deleteUser(
  context: Pick<RunServices, "db" | "clock" | "keepAdminToken">,
  deletion: UserDeletion,
): Promise<DeletedUser> {
  const atMs = context.clock.now();
  const { isAdmin, ...deleted } = await transaction(context.db, async (db) => {
    const user = await findEvenDeleted(db, deletion);
    await refuseLastAdmin(db, user, (email) => `User ${email} could not be deleted`);
    const live = await liveRunIds(db, user.id);
    if (live.length > 0 && !deletion.stopsRuns) throw hasLiveRuns(user, live.length);
    for (const id of live) await askToStop(db, id, atMs);
    const heir = await heirOf(db, user);
    await markDeleted(db, { userId: user.id, heirId: heir.id, atMs });
    if (deletion.withData) await markToErase(db, user.id);
    const runs = await countRunsOf(db, user.id);
    return { id: user.id, email: user.email, runs, stopped: live.length, isAdmin: user.isAdmin };
  });
  crashPoint("user-deleted");
  if (isAdmin) await context.keepAdminToken?.();
  return deleted;
}

/** Returns the user, who may have been deleted without the data if the data is to go now. */
async function findEvenDeleted(db: Connection, { user, withData }: UserDeletion): Promise<User> {
  const deleted = withData && !isUuid(user) ? await maybeDeletedUser(db, user) : undefined;
  return deleted ?? findUser(db, user);
}

/** Returns the oldest administrator other than the deleted user. */
async function heirOf(db: Connection, user: User): Promise<User> {
  // A disabled administrator is nobody's heir, and the last one is not deleted.
  const { id } = user;
  const heir = await maybeAdmin(db, { otherThan: id });
  if (heir) return heir;
  throw new Refusal("conflict", `User ${user.email} could not be deleted: this server has no administrator.`);
}

function hasLiveRuns({ email }: User, count: number): Refusal {
  return new Refusal(
    "conflict",
    `User ${email} could not be deleted: ${counted(count, "run")} of the user ${count === 1 ? "is" : "are"} queued or running. ` +
      "Wait for the end, or have them stopped (`--stop`).",
    { errorCode: "user-has-live-runs" },
  );
}

/** Maximum number of runs deleted per user in one sweep. */
const RUNS_AT_ONCE = 20;

/**
 * Returns a function that deletes some runs of each user who was deleted with the data, until none is left. It throws
 * after the last one if the files of a run could not be removed, and tries again when it is called again.
 */
export function createErasure(context: DeleteContext): () => Promise<void> {
  return async () => {
    const failures: unknown[] = [];
    for (const userId of await usersToErase(context.db)) {
      const runs = await runsToErase(context.db, userId, RUNS_AT_ONCE);
      for (const run of runs) {
        await deleteUnlessLive(context, run, "user").catch((error: unknown) => void failures.push(error));
      }
      const isLast = runs.length === 0 && (await liveRunIds(context.db, userId)).length === 0;
      if (isLast) await markErased(context.db, userId);
    }
    if (failures.length > 0) throw failures[0];
  };
}
