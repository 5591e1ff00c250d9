import type { AccountServices } from "#operations/users/services";
import { addMember, groupsNamed, insertGroup, maybeGroup, removeMember } from "#store/sharing/groups";
import { maybeAdmin } from "#store/users/users";
import { groupsPrefix } from "#workflow/people/provider-rules";

interface GroupsOfPerson {
  readonly userId: string;
  readonly provider: string;
  /** Names of groups, with the provider's name. */
  readonly groups: readonly string[];
}

/**
 * Makes a user a member of exactly these groups of the provider, inside a transaction. A new group belongs to the oldest
 * administrator. A group that loses its last member stays, because its policy and its shares do.
 */
export async function setProviderGroups(
  { db, clock, random }: Pick<AccountServices, "db" | "clock" | "random">,
  { userId, provider, groups }: GroupsOfPerson,
): Promise<void> {
  const nowMs = clock.now();
  const present = await groupsNamed(db, { userId, prefix: groupsPrefix(provider) });
  for (const { id, name } of present) {
    if (!groups.includes(name)) await removeMember(db, { groupId: id, userId });
  }
  const names = new Set(present.map(({ name }) => name));
  for (const name of groups.filter((one) => !names.has(one))) {
    const ownerId = (await maybeAdmin(db))?.id ?? userId;
    await insertGroup(db, { id: random.uuid(), name, ownerId, createdAtMs: nowMs });
    await addMember(db, { groupId: (await maybeGroup(db, name))!.id, userId, role: "member" }, nowMs);
  }
}
