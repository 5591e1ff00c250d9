import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import type { Connection } from "#store/database/database";
import { maybeGroup } from "#store/sharing/groups";
import { maybeUserByEmail } from "#store/users/users";
import { parseGrantee } from "#workflow/people/grantee";

/** Returns the id under which runs are shared with a user or a group, or undefined if it does not exist. */
export async function maybeGranteeId(db: Connection, text: string): Promise<string | undefined> {
  const grantee = parseGrantee(text);
  const known =
    grantee.kind === "group" ? await maybeGroup(db, grantee.name) : await maybeUserByEmail(db, grantee.email);
  return known?.id;
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
