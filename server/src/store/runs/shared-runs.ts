import type { Connection } from "#store/database/database";
import { type Run, RUN_COLUMNS, toRun } from "#store/runs/runs";
import { inScope, type ListScope } from "#store/sharing/list-scope";

/**
 * Returns the newest run with the given name, or the given number, shared with the user by other users.
 * Prefers runs not deleted.
 */
export async function maybeSharedRunByName(
  db: Connection,
  userId: string,
  others: Extract<ListScope, { readonly kind: "others" }>,
  { name, run }: { readonly name: string; readonly run?: { readonly major: number; readonly minor: number } },
): Promise<Run | undefined> {
  const ofName = db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where(inScope(userId, others))
    .where("name", "=", name)
    .orderBy("seq", "desc")
    .limit(1);
  const wanted = run ? ofName.where("run_major", "=", run.major).where("run_minor", "=", run.minor) : ofName;
  const row =
    (await wanted.where("status", "!=", "deleted").executeTakeFirst()) ?? (await wanted.executeTakeFirst());
  return row && toRun(row);
}
