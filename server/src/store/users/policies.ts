import { type RawBuilder, sql } from "kysely";
import type { Connection } from "#store/database/database";
import type { AppliedPolicy, Policy } from "#workflow/people/policy";

/** Stands for everybody in the column of the group. */
export const ALL_USERS = "";

interface PolicyRow {
  readonly group_id: string;
  readonly images: string | null;
  readonly cpu_limit_ms: number | null;
  readonly disk_limit_bytes: number | null;
  readonly wall_limit_ms: number | null;
  readonly max_runs: number | null;
}

function toPolicy(row: PolicyRow): AppliedPolicy {
  return {
    groupId: row.group_id === ALL_USERS ? null : row.group_id,
    images: row.images === null ? null : (JSON.parse(row.images) as string[]),
    cpuMs: row.cpu_limit_ms,
    diskBytes: row.disk_limit_bytes,
    wallMs: row.wall_limit_ms,
    maxRuns: row.max_runs,
  };
}

/** Returns the policies of all groups, and the one for everybody. */
export async function allPolicies(db: Connection): Promise<AppliedPolicy[]> {
  return (await db.selectFrom("policies").selectAll().orderBy("group_id").execute()).map(toPolicy);
}

/** Returns whether a policy holds for a user. */
export function isPolicyOf(userId: string): RawBuilder<boolean> {
  return sql<boolean>`(policies.group_id = ${sql.lit(ALL_USERS)} or policies.group_id in
    (select group_members.group_id from group_members where group_members.user_id = ${userId}))`;
}

/** Returns the policies that hold for a user: of the user's groups, and the one for everybody. */
export async function policiesOf(db: Connection, userId: string): Promise<AppliedPolicy[]> {
  const rows = await db
    .selectFrom("policies")
    .selectAll()
    .where(isPolicyOf(userId))
    .orderBy("group_id")
    .execute();
  return rows.map(toPolicy);
}

/** Returns the policy of a group, or of everybody (null). */
export async function maybePolicy(
  db: Connection,
  groupId: string | null,
): Promise<AppliedPolicy | undefined> {
  const row = await db
    .selectFrom("policies")
    .selectAll()
    .where("group_id", "=", groupId ?? ALL_USERS)
    .executeTakeFirst();
  return row && toPolicy(row);
}

/** Replaces the policy of a group, or of everybody (null). An empty policy is removed. */
export async function putPolicy(
  db: Connection,
  groupId: string | null,
  { images, cpuMs, diskBytes, wallMs, maxRuns }: Policy,
  changedAtMs: number,
): Promise<void> {
  const group = groupId ?? ALL_USERS;
  await db.deleteFrom("policies").where("group_id", "=", group).execute();
  if ([images, cpuMs, diskBytes, wallMs, maxRuns].every((one) => one === null)) return;
  const row = {
    group_id: group,
    images: images && JSON.stringify(images),
    cpu_limit_ms: cpuMs,
    disk_limit_bytes: diskBytes,
    wall_limit_ms: wallMs,
    max_runs: maxRuns,
    changed_at: changedAtMs,
  };
  await db.insertInto("policies").values(row).execute();
}
