import type { ServerServices } from "#operations/service/services";
import { fullNameOf } from "#operations/full-name";
import { isUuid } from "#plumbing/ids";
import { maybeRun } from "#store/runs/runs";
import { emailsOf } from "#store/users/users";

export type Subject = Readonly<Record<string, string>>;

/** Returns whether a subject names a run or a user by an id. */
export function hasIds({ run = "", user = "" }: Subject): boolean {
  return isUuid(run) || isUuid(user);
}

/**
 * Returns the subject of an audit log entry with names in place of the ids of runs and users, for a human
 * reader. The id of a run is kept after the name, because another user may have a run with the same name.
 */
export async function withNames({ db }: Pick<ServerServices, "db">, subject: Subject): Promise<Subject> {
  const { run: runId = "", user: userId = "" } = subject;
  const run = isUuid(runId) ? await maybeRun(db, runId.toLowerCase()) : undefined;
  const email = isUuid(userId)
    ? (await emailsOf(db, [userId.toLowerCase()])).get(userId.toLowerCase())
    : undefined;
  return {
    ...subject,
    ...(run && { run: fullNameOf(run), run_id: run.id }),
    ...(email !== undefined && { user: email }),
  };
}
