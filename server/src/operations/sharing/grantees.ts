import type { Caller } from "#operations/context";
import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import type { Connection } from "#store/database/database";
import { maybeGroup, maybeRole } from "#store/sharing/groups";
import { maybeUserByEmail } from "#store/users/users";
import { parseGrantee } from "#workflow/people/grantee";
import { mayShareWith } from "#workflow/people/group-role";

/** Returns the id under which runs are shared with a user or a group, or undefined if it does not exist. */
export async function maybeGranteeId(db: Connection, text: string): Promise<string | undefined> {
  const grantee = parseGrantee(text);
  const known =
    grantee.kind === "group" ? await maybeGroup(db, grantee.name) : await maybeUserByEmail(db, grantee.email);
  return known?.id;
}

/**
 * Refuses to share with a group in which the caller is a viewer, or is not at all. The owner of a group and the
 * administrator may always share with it.
 */
export async function refuseToShareWith(db: Connection, caller: Caller, text: string): Promise<void> {
  const grantee = parseGrantee(text);
  const group = grantee.kind === "group" ? await maybeGroup(db, grantee.name) : undefined;
  if (!group || caller.isAdmin || group.ownerId === caller.id) return;
  if (mayShareWith(await maybeRole(db, { groupId: group.id, userId: caller.id }))) return;
  throw new Refusal(
    "forbidden",
    `Nothing was shared with the group ${group.name}: only its members and maintainers share with it. Ask a maintainer to ` +
      "make you a member.",
  );
}

/** Returns that id. The refusal of a user who does not exist has REANA's wording. */
export async function findGranteeId(db: Connection, text: string): Promise<string> {
  const id = await maybeGranteeId(db, text);
  if (id !== undefined) return id;
  const grantee = parseGrantee(text);
  const shown = (name: string) => printable(name, 254);
  throw new Refusal(
    "absent",
    grantee.kind === "group"
      ? `There is no group ${shown(grantee.name)}.`
      : `User with email '${shown(grantee.email)}' does not exist.`,
  );
}
