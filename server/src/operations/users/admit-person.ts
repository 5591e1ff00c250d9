import type { Caller } from "#operations/context";
import type { AccountServices } from "#operations/users/services";
import { setProviderGroups } from "#operations/users/provider-groups";
import type { SignInProvider } from "#operations/users/sign-in-provider";
import { addToken } from "#operations/users/tokens";
import { makeToken } from "#operations/users/token-shape";
import { Refusal } from "#plumbing/errors";
import type { Connection } from "#store/database/database";
import {
  askingProviders,
  deleteIdentity,
  type Identity,
  insertIdentity,
  keepRefreshToken,
  lockedIdentities,
  maybeLockedIdentity,
  type Person,
  providersOfUser,
  updateIdentity,
} from "#store/users/identities";
import {
  hasOtherAdmin,
  hasUnlinked,
  insertUser,
  isEmailTaken,
  maybeUser,
  maybeUserByEmail,
  setAdmin,
  setEmail,
  setWaiting,
  type User,
  waitingUsers,
} from "#store/users/users";
import { listTokens } from "#store/users/tokens";
import {
  type Claims,
  holds,
  maybeUnmet,
  maybeVerifiedEmail,
  providerGroups,
} from "#workflow/people/provider-rules";

/** A person whom a provider has proven. */
export interface ProviderPerson extends Person {
  readonly claims: Claims;
  /** The user to whose account the person is added. */
  readonly userId?: string;
  /** Secret with which the server asks the provider about the person again. */
  readonly refreshToken?: string | undefined;
  /** False if the sign-in makes a token itself. Default: true. */
  readonly needsFirstToken?: boolean;
}

export interface Admitted {
  readonly kind: "admitted";
  readonly user: Caller;
  /** The person's first access token, at the first sign-in. */
  readonly token: string | undefined;
  /** True if a claim made or unmade an administrator. */
  readonly hasChangedAdmin: boolean;
}

/** A person who must wait for an administrator. */
export interface Waiting {
  readonly kind: "waiting";
  /** Address of the account that existed before and that the person asks to open. If absent, the account is new. */
  readonly account?: string;
}

type AdmissionContext = Pick<AccountServices, "db" | "clock" | "random" | "tokenSeal" | "signInProviders">;

/** The name of the token that a person gets at the first sign-in. */
const FIRST_TOKEN = "first sign-in";

/**
 * Returns the account of a person, by the rules of the provider. The issuer and the subject decide whose account it is,
 * never the address. Must run inside a transaction. A person who waits for consent has an account that is disabled.
 */
export async function admitPerson(
  context: AdmissionContext,
  provider: SignInProvider,
  person: ProviderPerson,
): Promise<Admitted | Waiting> {
  refuseUnmet(provider, person.claims);
  const known = await settledIdentity(context.db, person);
  const identity = known ?? (await newIdentity(context, provider, person));
  if (person.userId !== undefined && person.userId !== identity.userId) throw belongsToAnother(provider);
  const found = (await maybeUser(context.db, identity.userId))!;
  if (found.disabledAtMs !== null) return refuseOrWait(context.db, found);
  if (identity.askedAtMs !== null) return { kind: "waiting", account: found.email };
  const user = await withAddress(context.db, provider, { identity, user: found, claims: person.claims });
  const admin = await followAdmin(context.db, provider, { identity, user, claims: person.claims });
  await noteSignIn(context, provider, {
    identity,
    found,
    user,
    madeAdmin: admin.madeAdmin,
    claims: person.claims,
    refreshToken: person.refreshToken,
  });
  const groups = providerGroups(provider.name, provider.rules, person.claims);
  await setProviderGroups(context, { userId: user.id, provider: provider.name, groups });
  const isFirst = identity.signedInAtMs === null && person.userId === undefined;
  const needsToken = isFirst && (person.needsFirstToken ?? true) && !(await hasToken(context, user.id));
  const token = needsToken ? await firstToken(context, user) : undefined;
  const { isAdmin } = admin;
  const caller = { id: user.id, email: user.email, isAdmin };
  return { kind: "admitted", user: caller, token, hasChangedAdmin: isAdmin !== found.isAdmin };
}

function refuseUnmet({ rules, title, note }: SignInProvider, claims: Claims): void {
  const unmet = maybeUnmet(rules, claims);
  if (!unmet) return;
  note({ claim: unmet.claim, wanted: unmet.patterns, subject: claims["sub"] }, "a person may not sign in");
  throw new Refusal(
    "forbidden",
    `${title} knows you, but this server admits only some of its people. Ask the server's administrator for access.`,
  );
}

/** Returns the identity of a person. If a user adds the person, a request to open an account is dropped. */
async function settledIdentity(db: Connection, person: ProviderPerson): Promise<Identity | undefined> {
  const known = await maybeLockedIdentity(db, person);
  if (known === undefined || known.askedAtMs === null || person.userId === undefined) return known;
  await deleteIdentity(db, known);
  return undefined;
}

/** Makes an account for a new person, or adds the person to the account of a user who is signed in. */
async function newIdentity(
  context: AdmissionContext,
  provider: SignInProvider,
  { issuer, subject, claims, userId: linkTo }: ProviderPerson,
): Promise<Identity> {
  const { db, clock } = context;
  const email = maybeVerifiedEmail(claims, provider.rules) ?? null;
  const account =
    linkTo === undefined ? await accountFor(context, provider, email) : { userId: linkTo, askedAtMs: null };
  const of = { issuer, subject, provider: provider.name };
  const identity = { ...of, ...account, email, madeAdmin: false, signedInAtMs: null };
  if (await insertIdentity(db, identity, clock.now())) return identity;
  throw new Refusal(
    "conflict",
    `You signed in with ${provider.title} twice at the same moment. Sign in again.`,
  );
}

/** The account of a new person. */
type AccountOfPerson = Pick<Identity, "userId" | "askedAtMs">;

/** Makes an account, or returns the account with the address that the person may open. */
async function accountFor(
  context: AdmissionContext,
  provider: SignInProvider,
  email: string | null,
): Promise<AccountOfPerson> {
  const { db, clock, random } = context;
  if (email === null) {
    throw new Refusal(
      "forbidden",
      `${provider.title} gives no e-mail address for you that it has verified, so no account was made. Verify your ` +
        "address there, or ask the server's administrator for an invitation.",
    );
  }
  const nowMs = clock.now();
  const disabledAtMs = provider.rules.admitsAtOnce ? null : nowMs;
  const user = { id: random.uuid(), email, isAdmin: false, disabledAtMs, createdAtMs: nowMs };
  if (await insertUser(db, user)) {
    if (disabledAtMs !== null) await setWaiting(db, user.id, nowMs);
    return { userId: user.id, askedAtMs: null };
  }
  const known = await maybeKnownAccount(context, provider, email);
  if (known) return known;
  throw await addressTaken(context, provider, email);
}

/**
 * Returns the account with the address, if the rules let the provider open accounts that existed before. The account must
 * have no provider, no open request, and no provider that its user has removed: a thief of the person's account there
 * could otherwise come back. An administrator's account is never opened without consent.
 */
async function maybeKnownAccount(
  { db, clock }: AdmissionContext,
  { rules, name, note }: SignInProvider,
  email: string,
): Promise<AccountOfPerson | undefined> {
  const owner = rules.accounts === "token" ? undefined : await maybeUserByEmail(db, email);
  if (!owner || (await hasUnlinked(db, owner.id))) return undefined;
  if ((await lockedIdentities(db, owner.id)).length > 0) return undefined;
  const isAtOnce = rules.accounts === "automatic" && !owner.isAdmin;
  note({ userId: owner.id, provider: name }, `a person ${isAtOnce ? "opens" : "asks to open"} an account`);
  return { userId: owner.id, askedAtMs: isAtOnce ? null : clock.now() };
}

/** Names the way in that the account of an address has, because another provider must not open it. */
async function addressTaken(
  { db, signInProviders }: AdmissionContext,
  { title }: SignInProvider,
  email: string,
): Promise<Refusal> {
  const owner = await maybeUserByEmail(db, email);
  const names = owner ? await providersOfUser(db, owner.id) : [];
  const titles = names.map((name) => titleOf(signInProviders, name));
  const asking = owner && (await askingProviders(db)).get(owner.id);
  if (asking !== undefined) throw alreadyAsked(email, title, titleOf(signInProviders, asking));
  const way = titles.length > 0 ? `with ${titles.join(" or ")}` : "with a code or an access token";
  const next = owner
    ? `Sign in ${way}, then add ${title} on the page of your account.`
    : "The account was deleted: ask the server's administrator for an invitation.";
  return new Refusal(
    "conflict",
    `You are not signed in: ${email} belongs to an account of this server. ${next}`,
    {
      errorCode: "email-taken",
    },
  );
}

function titleOf(providers: readonly SignInProvider[], name: string): string {
  return providers.find((one) => one.name === name)?.title ?? name;
}

function alreadyAsked(email: string, title: string, asking: string): Refusal {
  return new Refusal(
    "conflict",
    `You are not signed in: ${asking} and ${title} both claim the account ${email}, and ${asking} was first. Ask the ` +
      `server's administrator to answer ${asking}, or sign in with a code or an access token and add ${title} on the page ` +
      "of your account.",
    { errorCode: "email-taken" },
  );
}

function belongsToAnother({ title }: SignInProvider): Refusal {
  return new Refusal(
    "conflict",
    `${title} was not added: this person signs in to another account of this server.`,
  );
}

async function refuseOrWait(db: Connection, { id, email }: User): Promise<Waiting> {
  if ((await waitingUsers(db)).has(id)) return { kind: "waiting" };
  throw new Refusal("forbidden", `The account ${email} is disabled. Ask the server's administrator.`, {
    errorCode: "user-disabled",
  });
}

interface Returning {
  readonly identity: Identity;
  readonly user: User;
  readonly claims: Claims;
}

/**
 * Follows a changed address of the provider, if the account had the earlier one and no other user has the new one.
 * Otherwise the account keeps its address.
 */
async function withAddress(
  db: Connection,
  { rules, note }: SignInProvider,
  { identity, user, claims }: Returning,
): Promise<User> {
  const email = maybeVerifiedEmail(claims, rules);
  if (email === undefined || user.email !== identity.email || email === user.email) return user;
  const isSpelling = email.toLowerCase() === user.email.toLowerCase();
  if (!isSpelling && (await isEmailTaken(db, email))) {
    note({ userId: user.id, email }, "an address has changed, and belongs to another user");
    return user;
  }
  await setEmail(db, user.id, email);
  return { ...user, email };
}

interface AdminState {
  readonly isAdmin: boolean;
  /** True if a claim made the user an administrator. */
  readonly madeAdmin: boolean;
}

/**
 * Makes or unmakes an administrator by claim. Unmakes only an administrator whom a claim has made, and never the last
 * one of the server.
 */
async function followAdmin(
  db: Connection,
  { rules, note }: SignInProvider,
  { identity, user, claims }: Returning,
): Promise<AdminState> {
  const { isAdmin, id } = user;
  const isWanted = rules.administrators !== undefined && holds(rules.administrators, claims, rules);
  const isKept = isWanted || !isAdmin || !identity.madeAdmin;
  if (isKept && isWanted === isAdmin) return { isAdmin, madeAdmin: identity.madeAdmin };
  if (isKept && !isWanted) return { isAdmin, madeAdmin: false };
  if (!isWanted && !(await hasOtherAdmin(db, id))) {
    note({ userId: id }, "the last administrator stays, although the claim has ended");
    return { isAdmin, madeAdmin: true };
  }
  await setAdmin(db, id, isWanted);
  return { isAdmin: isWanted, madeAdmin: isWanted };
}

interface SignedIn extends Returning {
  /** The user before the sign-in. */
  readonly found: User;
  readonly madeAdmin: boolean;
  readonly refreshToken: string | undefined;
}

async function noteSignIn(
  { db, clock, tokenSeal }: AdmissionContext,
  { name, rules }: SignInProvider,
  { identity, found, user, madeAdmin, claims, refreshToken }: SignedIn,
): Promise<void> {
  const follows = found.email === identity.email;
  const email = follows ? user.email : (maybeVerifiedEmail(claims, rules) ?? identity.email);
  await updateIdentity(db, { ...identity, provider: name, email, madeAdmin, signedInAtMs: clock.now() });
  const isChecked = rules.recheckMs !== undefined && refreshToken !== undefined;
  await keepRefreshToken(db, identity, {
    sealed: isChecked ? tokenSeal.seal(refreshToken) : null,
    atMs: clock.now(),
  });
}

/** Returns whether a user has an access token already: an imported account may. */
async function hasToken({ db, clock }: AdmissionContext, userId: string): Promise<boolean> {
  return (await listTokens(db, userId, clock.now())).some(({ kind }) => kind === "token");
}

/** Gives a person the first access token, as REANA does. */
async function firstToken(context: AdmissionContext, { id }: User): Promise<string> {
  const token = makeToken(context.random);
  await addToken(context, context.db, { userId: id, token, name: FIRST_TOKEN });
  return token;
}
