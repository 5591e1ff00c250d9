import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import type { GroupRole } from "#workflow/people/group-role";

/** A named set of users, with whom runs are shared at once. */
export interface Group {
  readonly id: string;
  readonly name: string;
  /** The user who maintains the members, besides the administrator. */
  readonly ownerId: string;
  readonly createdAtMs: number;
}

export interface ListedGroup extends Group {
  readonly ownerEmail: string;
  readonly memberCount: number;
}

const groupsOf = fixedQuery((db, { userId }: { userId: string }) =>
  db.selectFrom("group_members").select("group_id").where("user_id", "=", userId),
);

/** Returns the ids under which runs can be shared with a user: the user's own id and the ids of the user's groups. */
export async function granteesOf(db: Connection, userId: string): Promise<string[]> {
  const { rows } = await groupsOf(db, { userId });
  return [userId, ...rows.map((row) => row.group_id)];
}

/** Returns false if the name is taken. */
export async function insertGroup(db: Connection, group: Group): Promise<boolean> {
  const result = await db
    .insertInto("groups")
    .values({ id: group.id, name: group.name, owner_id: group.ownerId, created_at: group.createdAtMs })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Deletes a group with its members, policy and shares. */
export async function deleteGroup(db: Connection, id: string): Promise<void> {
  await db.deleteFrom("run_shares").where("grantee_id", "=", id).execute();
  await db.deleteFrom("policies").where("group_id", "=", id).execute();
  await db.deleteFrom("group_members").where("group_id", "=", id).execute();
  await db.deleteFrom("groups").where("id", "=", id).execute();
}

export async function maybeGroup(db: Connection, name: string): Promise<Group | undefined> {
  const row = await db.selectFrom("groups").selectAll().where("name", "=", name).executeTakeFirst();
  return row && { id: row.id, name: row.name, ownerId: row.owner_id, createdAtMs: row.created_at };
}

/** Returns all groups, or the groups maintained or joined by a user, in alphabetical order. */
export async function listGroups(db: Connection, userId: string | undefined): Promise<ListedGroup[]> {
  let query = db
    .selectFrom("groups")
    .innerJoin("users", "users.id", "groups.owner_id")
    .select((is) => [
      "groups.id",
      "groups.name",
      "groups.owner_id",
      "groups.created_at",
      "users.email",
      is
        .selectFrom("group_members")
        .select((count) => count.fn.countAll<number | string>().as("members"))
        .whereRef("group_members.group_id", "=", "groups.id")
        .as("members"),
    ])
    .orderBy("groups.name");
  if (userId !== undefined) {
    query = query.where((is) =>
      is.or([
        is("groups.owner_id", "=", userId),
        is(
          "groups.id",
          "in",
          is.selectFrom("group_members").select("group_id").where("user_id", "=", userId),
        ),
      ]),
    );
  }
  return (await query.execute()).map((row) => ({
    id: row.id,
    name: row.name,
    ownerId: row.owner_id,
    createdAtMs: row.created_at,
    ownerEmail: row.email,
    memberCount: Number(row.members),
  }));
}

export interface Member {
  readonly id: string;
  readonly email: string;
  readonly role: GroupRole;
  readonly addedAtMs: number;
}

/** Returns the members of a group, in the order of their addresses. */
export async function membersOf(db: Connection, groupId: string): Promise<Member[]> {
  const rows = await db
    .selectFrom("group_members")
    .innerJoin("users", "users.id", "group_members.user_id")
    .select(["users.id", "users.email", "group_members.role", "group_members.added_at"])
    .where("group_members.group_id", "=", groupId)
    .orderBy("users.email")
    .execute();
  return rows.map(({ id, email, role, added_at: addedAtMs }) => ({ id, email, role, addedAtMs }));
}

export interface Membership {
  readonly groupId: string;
  readonly userId: string;
}

/** Adds a member, or gives a member another role. Adding a member twice is not an error. */
export async function addMember(
  db: Connection,
  { groupId, userId, role }: Membership & { readonly role: GroupRole },
  addedAtMs: number,
): Promise<void> {
  await db
    .insertInto("group_members")
    .values({ user_id: userId, group_id: groupId, role, added_at: addedAtMs })
    .onConflict((conflict) => conflict.columns(["user_id", "group_id"]).doUpdateSet({ role }))
    .execute();
}

/** Returns the role of a user in a group, or undefined if the user is not in it. */
export async function maybeRole(
  db: Connection,
  { groupId, userId }: Membership,
): Promise<GroupRole | undefined> {
  const row = await db
    .selectFrom("group_members")
    .select("role")
    .where("user_id", "=", userId)
    .where("group_id", "=", groupId)
    .executeTakeFirst();
  return row?.role;
}

/** Removes a member. Returns false if the user was none. */
export async function removeMember(db: Connection, { groupId, userId }: Membership): Promise<boolean> {
  const result = await db
    .deleteFrom("group_members")
    .where("user_id", "=", userId)
    .where("group_id", "=", groupId)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** Returns the groups of a user with names that begin with a text. */
export async function groupsNamed(
  db: Connection,
  { userId, prefix }: { readonly userId: string; readonly prefix: string },
): Promise<readonly Pick<Group, "id" | "name">[]> {
  const rows = await db
    .selectFrom("group_members")
    .innerJoin("groups", "groups.id", "group_members.group_id")
    .select(["groups.id", "groups.name"])
    .where("group_members.user_id", "=", userId)
    .execute();
  return rows.filter(({ name }) => name.startsWith(prefix));
}
