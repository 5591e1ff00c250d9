import type { Basics, Caller } from "#operations/context";
import { changing, type Keyed } from "#operations/idempotency";
import { findUser } from "#operations/users/accounts";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import type { Connection } from "#store/database/database";
import {
  addMember,
  deleteGroup as removeGroup,
  type Group,
  insertGroup,
  type ListedGroup,
  listGroups as readGroups,
  maybeGroup,
  maybeRole,
  type Member,
  membersOf,
  removeMember,
} from "#store/sharing/groups";
import { maybePolicy } from "#store/users/policies";
import { isGroupName } from "#workflow/people/grantee";
import type { GroupRole } from "#workflow/people/group-role";
import { isOfProvider } from "#workflow/people/provider-rules";

/**
 * Groups of users. Any user may make one and is its owner and first maintainer. Its maintainers add viewers and members;
 * its owner and the administrator also name maintainers. Everybody may leave. Users of a group see each other.
 */

export type { ListedGroup, Member };

type GroupsContext = Pick<Basics, "db" | "clock">;

/** Returns the groups of the caller, or all groups for the administrator. */
export function listGroups({ db }: GroupsContext, caller: Caller): Promise<ListedGroup[]> {
  return readGroups(db, caller.isAdmin ? undefined : caller.id);
}

export interface ShownGroup {
  readonly group: ListedGroup;
  readonly members: readonly Member[];
}

/** Returns a group with its members. Visible to the members, the owner and the administrator. */
export async function getGroup(
  { db, clock }: GroupsContext,
  caller: Caller,
  name: string,
): Promise<ShownGroup> {
  const group = (await listGroups({ db, clock }, caller)).find((one) => one.name === name);
  if (!group) throw absentGroup(name);
  return { group, members: await membersOf(db, group.id) };
}

/** Makes a group, whose owner and first member is the caller. */
export async function createGroup(
  context: GroupsContext & Pick<Basics, "random"> & Keyed,
  caller: Caller,
  name: string,
): Promise<{ readonly name: string }> {
  if (!isGroupName(name)) {
    throw new Refusal(
      "malformed",
      `The group ${printable(name, 100)} could not be made: a name has letters, digits, ".", "_" and "-", at most 64.`,
    );
  }
  const nowMs = context.clock.now();
  const group = { id: context.random.uuid(), name, ownerId: caller.id, createdAtMs: nowMs };
  const made = await changing(context, async (db) => {
    if (!(await insertGroup(db, group))) {
      throw new Refusal("conflict", `The group ${name} could not be made: there is one of this name.`);
    }
    await addMember(db, { groupId: group.id, userId: caller.id, role: "maintainer" }, nowMs);
    return { name };
  });
  crashPoint("group-created");
  return made;
}

/** Deletes a group. Its members lose access to the runs shared with the group. */
export async function deleteGroup(
  context: GroupsContext & Keyed,
  caller: Caller,
  name: string,
): Promise<{ readonly name: string }> {
  const deleted = await changing(context, async (db) => {
    await removeGroup(db, (await findOwnGroup(db, caller, name)).id);
    return { name };
  });
  crashPoint("group-deleted");
  return deleted;
}

export interface MembershipInput {
  readonly group: string;
  /** Id or e-mail address. */
  readonly user: string;
}

export interface ChangedMember {
  readonly name: string;
  readonly email: string;
}

export interface AddedMember extends ChangedMember {
  readonly role: GroupRole;
}

/**
 * Adds a user with a role, with immediate access to everything shared with the group, or changes the role of a user of the
 * group. Without a role, a new user becomes a member, and the role of others stays.
 */
export async function addGroupMember(
  context: GroupsContext & Keyed,
  caller: Caller,
  { group: name, user, role: wanted }: MembershipInput & { readonly role?: GroupRole | undefined },
): Promise<AddedMember> {
  const added = await changing(context, async (db) => {
    const maintained = await findMaintainedGroup(db, caller, name);
    const { id: userId, email } = await findUser(db, user);
    const membership = { groupId: maintained.group.id, userId };
    const present = await maybeRole(db, membership);
    if (present === undefined && isOfProvider(name)) throw fromProvider(name);
    const role = wanted ?? present ?? "member";
    refuseMaintainer(maintained, name, [role, present]);
    await addMember(db, { ...membership, role }, context.clock.now());
    return { name, email, role };
  });
  crashPoint("member-added");
  return added;
}

/** Removes a member, for the owner and the administrator, and for the member. Open streams end within a second. */
export async function removeGroupMember(
  context: GroupsContext & Keyed,
  caller: Caller,
  { group: name, user }: MembershipInput,
): Promise<ChangedMember> {
  const removed = await changing(context, async (db) => {
    const { id, email } = await findUser(db, user);
    if (isOfProvider(name) && (await maybeGroup(db, name))) throw fromProvider(name);
    const group =
      id === caller.id ? await maybeGroup(db, name) : await removableFrom(db, caller, { name, id });
    if (group && !caller.isAdmin && (await maybePolicy(db, group.id))) throw hasPolicy(name);
    if (group && (await removeMember(db, { groupId: group.id, userId: id }))) return { name, email };
    throw new Refusal("absent", `${email} is no member of the group ${printable(name, 100)}.`);
  });
  crashPoint("member-removed");
  return removed;
}

interface Maintained {
  readonly group: Group;
  /** True if the caller may also name maintainers. */
  readonly isOwn: boolean;
}

/** Returns a group whose members the caller maintains. */
async function findMaintainedGroup(db: Connection, caller: Caller, name: string): Promise<Maintained> {
  const group = await maybeGroup(db, name);
  const isMaintained =
    group !== undefined &&
    (await maybeRole(db, { groupId: group.id, userId: caller.id })) === "maintainer" &&
    !(await maybePolicy(db, group.id));
  const isOwn = caller.isAdmin || group?.ownerId === caller.id;
  if (isMaintained && !isOwn) return { group, isOwn: false };
  return { group: await findOwnGroup(db, caller, name), isOwn: true };
}

/** Returns a group from which the caller may remove a user. */
async function removableFrom(
  db: Connection,
  caller: Caller,
  { name, id: userId }: { readonly name: string; readonly id: string },
): Promise<Group> {
  const maintained = await findMaintainedGroup(db, caller, name);
  refuseMaintainer(maintained, name, [await maybeRole(db, { groupId: maintained.group.id, userId })]);
  return maintained.group;
}

/** Maintainers must not make or unmake maintainers: one of them could otherwise take the group over. */
function refuseMaintainer({ isOwn }: Maintained, name: string, roles: readonly (GroupRole | undefined)[]) {
  if (isOwn || !roles.includes("maintainer")) return;
  throw new Refusal(
    "forbidden",
    `The group ${name} could not be changed: only its owner and the administrator name and remove maintainers.`,
  );
}

/** Returns a group that the caller owns or administers. */
async function findOwnGroup(db: Connection, caller: Caller, name: string): Promise<Group> {
  const group = await maybeGroup(db, name);
  if (!group) throw absentGroup(name);
  if (caller.isAdmin) return group;
  if (await maybePolicy(db, group.id)) throw hasPolicy(name);
  if (group.ownerId === caller.id) return group;
  throw new Refusal(
    "forbidden",
    `The group ${name} could not be changed: only its owner, its maintainers and the administrator maintain it.`,
  );
}

/**
 * A member must not pass on the permissions granted to a group by the administrator, or escape its
 * prohibitions by leaving the group.
 */
function hasPolicy(name: string): Refusal {
  return new Refusal(
    "forbidden",
    `The group ${name} could not be changed: it has a policy, so only the administrator maintains it.`,
  );
}

/** The next sign-in of a member would undo a change by hand. */
function fromProvider(name: string): Refusal {
  return new Refusal(
    "forbidden",
    `The members of ${printable(name, 100)} could not be changed: they come from a provider of sign-in. Change the group there.`,
  );
}

function absentGroup(name: string): Refusal {
  return new Refusal("absent", `There is no group ${printable(name, 100)}, or you are not in it.`);
}
