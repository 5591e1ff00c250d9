import type { AccountServices } from "#operations/users/services";
import {
  admitPerson,
  type Admitted,
  type ProviderPerson,
  type Waiting,
} from "#operations/users/admit-person";
import { refuseOldSignIn } from "#operations/users/fresh-sign-in";
import { openUserSession, type Session } from "#operations/users/sessions";
import { type Attempt, maybeAttempt, sealAttempt } from "#operations/users/sealed-attempt";
import { hashToken } from "#operations/users/token-shape";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import type { SignInProvider } from "#operations/users/sign-in-provider";
import type { PendingSignIn, ProvenPerson } from "#sources/openid-provider";
import { transaction } from "#store/database/database";
import { askingProviders, providersOfUser } from "#store/users/identities";
import { activeTokens } from "#store/users/tokens";

/**
 * Sign-in by a provider of OpenID Connect. The page asks for an address at the provider, keeps the attempt, and sends the
 * attempt back with the provider's answer. An attempt is encrypted by this server and opens one session at most.
 */

/** Time in which a person has to prove to be themselves to the provider. */
const ATTEMPT_LIFE_MS = 10 * 60_000;
/** Distinguishes an attempt from other texts encrypted with the server's key. */
const PURPOSE = "provider-sign-in";

export type ProviderContext = Pick<
  AccountServices,
  "db" | "clock" | "random" | "tokenSeal" | "signInProviders" | "keepAdminToken"
>;

interface BrowserAttempt extends Attempt, PendingSignIn {
  /** If absent, the person's own account is opened or made. */
  readonly adder?: Adder;
}

/** The user to whose account the person is added. */
interface Adder {
  readonly userId: string;
  /** The hash of the credential that began. The person is added only while the credential is active. */
  readonly beganBy: string;
}

export interface Begun {
  /** The address at the provider, to which the browser goes. */
  readonly url: string;
  /** Kept by the page, and sent with the provider's answer. */
  readonly attempt: string;
}

export interface SignInWanted {
  readonly provider: string;
  /** Public address of this server, as in the browser. */
  readonly origin: string;
  /** The user to whose account the person is added, and the credential of the request. */
  readonly adder?: { readonly userId: string; readonly secret: string };
}

/** Begins a sign-in. Stores no row: strangers could otherwise fill the database. */
export async function beginProviderSignIn(
  context: ProviderContext,
  { provider: name, origin, adder }: SignInWanted,
): Promise<Begun> {
  const provider = findProvider(context, name);
  if (adder) await refuseOldSignIn(context, adder.secret, `${provider.title} was not added`);
  const { url, ...pending } = await provider.openId.begin(`${origin}/sign-in/${provider.name}`);
  const attempt: BrowserAttempt = {
    ...pending,
    purpose: PURPOSE,
    id: context.random.uuid(),
    provider: provider.name,
    expiresAtMs: context.clock.now() + ATTEMPT_LIFE_MS,
    ...(adder && { adder: { userId: adder.userId, beganBy: hashToken(adder.secret) } }),
  };
  return { url, attempt: sealAttempt(context, attempt) };
}

export interface ProviderAnswer {
  readonly provider: string;
  readonly attempt: string;
  /** The query with which the provider sent the browser back. */
  readonly answer: string;
  /** Name of the session in the list of the account. */
  readonly browser: string;
}

export interface ProviderSession extends Session {
  /** The person's first access token, at the first sign-in. Shown once. */
  readonly token: string | undefined;
}

/** Opens a session for a person whom the provider has proven and the rules admit. */
export async function completeProviderSignIn(
  context: ProviderContext,
  { provider: name, attempt: sealed, answer, browser }: ProviderAnswer,
): Promise<ProviderSession> {
  const provider = findProvider(context, name);
  const found = maybeAttempt(context, { purpose: PURPOSE, provider: provider.name }, sealed);
  if (!found) throw ended(provider);
  const attempt = found as BrowserAttempt;
  const proven = await provider.openId.complete(attempt, answer);
  const { id, adder } = attempt;
  const openedBy = { issuer: proven.issuer, subject: proven.subject, session: proven.session ?? null };
  if (adder) await refuseSignedOut(context, provider, adder);
  const outcome = await admitting(context, provider, personOf(provider, proven, adder?.userId), (admitted) =>
    openUserSession({ ...context, db: admitted.db }, { id, user: admitted.user, browser, openedBy }),
  );
  crashPoint("person-signed-in");
  if (outcome.result === undefined) throw ended(provider);
  return { ...outcome.result, token: outcome.token };
}

/** Refuses to add a person for a browser that was signed out since: its session may have been stolen. */
async function refuseSignedOut(
  { db, clock }: ProviderContext,
  { title }: SignInProvider,
  { beganBy }: Adder,
): Promise<void> {
  if ((await activeTokens(db, [beganBy], clock.now())).has(beganBy)) return;
  throw new Refusal(
    "forbidden",
    `${title} was not added: the browser that began was signed out. Sign in, and add ${title} again on the page of ` +
      "your account.",
  );
}

export interface OwnProvider extends Pick<SignInProvider, "name" | "title"> {
  /** True if the provider is part of the account. */
  readonly isAdded: boolean;
  /** True if a person of the provider asks to open the account. */
  readonly isAsking: boolean;
  /** False if the provider has left the settings and signs nobody in. */
  readonly isOffered: boolean;
}

/** Lists the providers of the settings and of the account, and says by which the user can sign in. */
export async function listOwnProviders(
  { db, signInProviders }: Pick<AccountServices, "db" | "signInProviders">,
  userId: string,
): Promise<readonly OwnProvider[]> {
  const added = await providersOfUser(db, userId);
  const asking = (await askingProviders(db)).get(userId);
  const offered = signInProviders.map(({ name, title }) => ({ name, title, isOffered: true }));
  const gone = added.filter((name) => !offered.some((one) => one.name === name));
  return [...offered, ...gone.map((name) => ({ name, title: name, isOffered: false }))].map((one) => ({
    ...one,
    isAdded: added.includes(one.name),
    isAsking: asking === one.name,
  }));
}

interface Outcome<Result> extends Pick<Admitted, "user" | "token"> {
  readonly result: Result;
}

/**
 * Admits a person and carries out `work` in one transaction. A person who waits for consent is recorded and then
 * refused.
 */
export async function admitting<Result>(
  context: ProviderContext,
  provider: SignInProvider,
  person: ProviderPerson,
  work: (admitted: Admitted & Pick<AccountServices, "db">) => Promise<Result>,
): Promise<Outcome<Result>> {
  const outcome = await transaction(context.db, async (db) => {
    const admitted = await admitPerson({ ...context, db }, provider, person);
    if (admitted.kind === "waiting") return admitted;
    return { ...admitted, result: await work({ ...admitted, db }) };
  });
  if (outcome.kind === "waiting") {
    crashPoint("person-recorded");
    throw waiting(provider, outcome);
  }
  if (outcome.hasChangedAdmin) await context.keepAdminToken?.();
  return outcome;
}

function waiting({ title }: SignInProvider, { account }: Waiting): Refusal {
  const what =
    account === undefined
      ? "Your account waits for the consent of this server's administrator: sign in again after you have heard from the " +
        "administrator."
      : `${account} has an account here already. The server's administrator must agree that ${title} opens it. With a code ` +
        `or an access token of the account, sign in with that now and add ${title} on the page of your account.`;
  return new Refusal("forbidden", `${title} knows you. ${what}`, { errorCode: "user-waiting" });
}

export function personOf(
  { title }: SignInProvider,
  { issuer, subject, claims, refreshToken }: ProvenPerson,
  userId?: string,
): ProviderPerson {
  if (subject === "")
    throw new Refusal("forbidden", `${title} did not say who you are. Ask its administrator.`);
  return { issuer, subject, claims, refreshToken, ...(userId !== undefined && { userId }) };
}

export function findProvider(
  { signInProviders }: Pick<ProviderContext, "signInProviders">,
  name: string,
): SignInProvider {
  const found = signInProviders.find((one) => one.name === name);
  if (found) return found;
  throw new Refusal(
    "absent",
    `This server has no provider of sign-in with the name ${printable(name, 40)}. Choose one on the sign-in page.`,
  );
}

function ended({ title }: SignInProvider): Refusal {
  return new Refusal(
    "forbidden",
    `This sign-in with ${title} was used already, is older than ten minutes, or began elsewhere. Begin again on the ` +
      "sign-in page.",
  );
}
