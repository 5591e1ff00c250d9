import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";

/** A named set of users, with whom runs are shared at once. */
export interface Group {
  readonly id: string;
  readonly name: string;
  /** The user who maintains the members, besides the administrator. */
  readonly ownerId: string;
  readonly createdAtMs: number;
}

const groupsOf = fixedQuery((db, { userId }: { userId: string }) =>
  db.selectFrom("group_members").select("group_id").where("user_id", "=", userId),
);

/** Returns the ids under which runs can be shared with a user: the user's own and those of the user's groups. */
export async function granteesOf(db: Connection, userId: string): Promise<string[]> {
  const { rows } = await groupsOf(db, { userId });
  return [userId, ...rows.map((row) => row.group_id)];
}

export async function maybeGroup(db: Connection, name: string): Promise<Group | undefined> {
  const row = await db.selectFrom("groups").selectAll().where("name", "=", name).executeTakeFirst();
  return row && { id: row.id, name: row.name, ownerId: row.owner_id, createdAtMs: row.created_at };
}
