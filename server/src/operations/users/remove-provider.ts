import type { Caller } from "#operations/context";
import { refuseLastAdmin } from "#operations/users/accounts";
import { refuseOldSignIn } from "#operations/users/fresh-sign-in";
import { setProviderGroups } from "#operations/users/provider-groups";
import type { AccountServices } from "#operations/users/services";
import { hashToken } from "#operations/users/token-shape";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import { type Connection, transaction } from "#store/database/database";
import {
  deleteIdentity,
  type Identity,
  lockedIdentities,
  type Person,
  updateIdentity,
} from "#store/users/identities";
import { listTokens, revokeSessionsOfPerson } from "#store/users/tokens";
import { hasOtherAdmin, maybeUser, setAdmin, setUnlinked } from "#store/users/users";

type RemovalContext = Pick<AccountServices, "db" | "clock" | "random" | "signInProviders" | "keepAdminToken">;

interface Removal {
  readonly user: Caller;
  readonly provider: string;
  /** The credential of the request. Its session stays open. */
  readonly secret: string;
}

/**
 * Removes a provider from the account of a user, and everything that the provider gave: the sessions that it opened,
 * the memberships of its groups, and the right of an administrator by its claim. The provider may have left the
 * settings. The session of the request stays, because its user has just proven to be signed in.
 */
export async function removeProvider(
  context: RemovalContext,
  { user: { id: userId }, provider, secret }: Removal,
): Promise<{ readonly ended: number }> {
  const title = titleOf(context, provider);
  await refuseOldSignIn(context, secret, `${title} was not removed`);
  const { ended, hasChangedAdmin } = await transaction(context.db, async (db) => {
    const identities = await lockedIdentities(db, userId);
    const removed = identities.filter((one) => one.provider === provider);
    const left = identities.filter((one) => one.provider !== provider);
    if (removed.length === 0) throw new Refusal("absent", `Your account has no provider ${title} to remove.`);
    await refuseOnlyWayIn({ ...context, db }, { userId, left, title });
    for (const identity of removed) await deleteIdentity(db, identity);
    await setUnlinked(db, userId, context.clock.now());
    await setProviderGroups({ ...context, db }, { userId, provider, groups: [] });
    return {
      ended: await endSessions({ ...context, db }, removed, secret),
      hasChangedAdmin: await endAdmin(db, { userId, removed, left, title }),
    };
  });
  if (hasChangedAdmin) await context.keepAdminToken?.();
  crashPoint("provider-removed");
  return { ended };
}

function titleOf({ signInProviders }: Pick<RemovalContext, "signInProviders">, name: string): string {
  return signInProviders.find((one) => one.name === name)?.title ?? printable(name, 40);
}

interface Remaining {
  readonly userId: string;
  readonly left: readonly Identity[];
  readonly title: string;
}

/** Refuses a removal after which the user could not sign in: with another provider, or with a token of full scope. */
async function refuseOnlyWayIn(
  { db, clock, signInProviders }: RemovalContext,
  { userId, left, title }: Remaining,
): Promise<void> {
  const usable = left.filter(({ askedAtMs }) => askedAtMs === null);
  if (usable.some((one) => signInProviders.some(({ name }) => name === one.provider))) return;
  const tokens = await listTokens(db, userId, clock.now());
  if (tokens.some(({ kind, scope }) => kind === "token" && scope === "everything")) return;
  throw new Refusal(
    "conflict",
    `${title} was not removed: you could not sign in again, because your account has no other provider and no access ` +
      "token that may do everything. Add a provider or make a token on the page of your account first.",
  );
}

async function endSessions(
  { db, clock }: RemovalContext,
  removed: readonly Identity[],
  secret: string,
): Promise<number> {
  const exceptHash = hashToken(secret);
  let ended = 0;
  for (const { issuer, subject, userId } of removed)
    ended += await revokeSessionsOfPerson(db, { issuer, subject, userId, exceptHash }, clock.now());
  return ended;
}

interface Leaving extends Person {
  readonly userId: string;
  readonly provider: string;
}

/**
 * Ends what a provider gave a person who may no longer come in: the sessions, the memberships of its groups, and the right
 * of an administrator by its claim, unless no other administrator is left. Must run inside a transaction.
 */
export async function endProvider(
  context: Pick<RemovalContext, "db" | "clock" | "random">,
  { issuer, subject, userId, provider }: Leaving,
): Promise<{ readonly ended: number; readonly hasChangedAdmin: boolean }> {
  const { db, clock } = context;
  const ended = await revokeSessionsOfPerson(db, { issuer, subject, userId }, clock.now());
  await setProviderGroups(context, { userId, provider, groups: [] });
  const identities = await lockedIdentities(db, userId);
  const leaving = identities.find((one) => one.issuer === issuer && one.subject === subject);
  const others = identities.filter((one) => one !== leaving);
  const isByClaim = leaving?.madeAdmin === true && !others.some(({ madeAdmin }) => madeAdmin);
  if (!isByClaim || !(await hasOtherAdmin(db, userId))) return { ended, hasChangedAdmin: false };
  await setAdmin(db, userId, false);
  await updateIdentity(db, { ...leaving, madeAdmin: false });
  return { ended, hasChangedAdmin: true };
}

/** Ends the right of an administrator if only a claim of the removed provider gave it. Returns whether it has ended. */
async function endAdmin(
  db: Connection,
  { userId, removed, left, title }: Remaining & { readonly removed: readonly Identity[] },
): Promise<boolean> {
  const user = (await maybeUser(db, userId))!;
  const isByClaim = removed.some(({ madeAdmin }) => madeAdmin) && !left.some(({ madeAdmin }) => madeAdmin);
  if (!user.isAdmin || !isByClaim) return false;
  await refuseLastAdmin(db, user, (email) => `${title} was not removed from the account ${email}`);
  await setAdmin(db, userId, false);
  return true;
}
