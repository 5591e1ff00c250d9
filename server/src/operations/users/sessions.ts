import type { Caller } from "#operations/context";
import type { AccountServices } from "#operations/users/services";
import { changing, type Keyed } from "#operations/idempotency";
import { earlierEnd } from "#operations/users/token-limits";
import { hashToken } from "#operations/users/token-shape";
import { DAY_MS } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { isSame } from "#plumbing/secrets/is-same";
import { type Connection, transaction } from "#store/database/database";
import {
  forgetExpiredTokens,
  insertToken,
  maybeRedeemCode,
  maybeTokenOwner,
  type NewToken,
  type ProviderSession,
  revokeOneToken,
} from "#store/users/tokens";
import { maybeUser } from "#store/users/users";

/** Lifetime of a sign-in code, which works once. */
const CODE_LIFE_MS = 10 * 60_000;
/** Lifetime of a browser session. */
const SESSION_LIFE_MS = 30 * DAY_MS;
/** Lifetime of a session of REANA's web page, based on a cookie alone. */
const COOKIE_LIFE_MS = DAY_MS;

const SECRET_BYTES = 32;

type SessionContext = Pick<AccountServices, "db" | "clock" | "random">;

export interface IssuedCode {
  readonly code: string;
  readonly expiresAtMs: number;
}

export interface CodeWanted {
  readonly userId: string;
  /** Secret used for the request. Optional: absent if the server itself creates the code. */
  readonly issuer?: string;
}

/** Issues a code with which the user's browser signs in, once. */
export async function issueCode(
  context: SessionContext & Keyed,
  { userId, issuer }: CodeWanted,
): Promise<IssuedCode> {
  const nowMs = context.clock.now();
  const expiresAtMs = nowMs + CODE_LIFE_MS;
  const issued = await changing(context, async (db) => {
    await forgetExpiredTokens(db, nowMs);
    const owner = issuer === undefined ? undefined : await maybeTokenOwner(db, hashToken(issuer), nowMs);
    const issuesUntilMs = owner?.issuesUntilMs ?? null;
    return { code: await insertCode(context, db, { userId, expiresAtMs, issuesUntilMs }), expiresAtMs };
  });
  crashPoint("code-issued");
  return issued;
}

/** Inserts a sign-in code. A code opens everything that the user may do. */
export function insertCode(
  context: SessionContext,
  db: Connection,
  code: Pick<NewToken, "userId" | "issuesUntilMs"> & { readonly expiresAtMs: number },
): Promise<string> {
  return insertSecret(context, db, { ...code, kind: "code", name: null, scope: "everything" });
}

/** A code or an access token, with which a browser signs in. */
export interface Proof {
  readonly code?: string | undefined;
  readonly token?: string | undefined;
  /** Name of the session in the list of the account. */
  readonly browser: string;
}

export interface Session {
  /** Half of the session that the browser sends by itself. */
  readonly secret: string;
  /** Second half of the session's secret, kept and sent by the page. */
  readonly pageKey: string;
  readonly lifeMs: number;
  readonly user: Caller;
}

/** Opens a session with new secrets, so that no session can be prepared by anybody else. */
export async function openSession(context: SessionContext, proof: Proof): Promise<Session> {
  const nowMs = context.clock.now();
  const { wasKnown: _, ...session } = await transaction(context.db, async (db) =>
    insertSession({ ...context, db }, await proven({ ...context, db }, proof, nowMs), proof),
  );
  crashPoint("session-opened");
  return session;
}

/** Inserts a session of the web page with new secrets. `wasKnown` is true if there is one of this id. */
async function insertSession(
  context: SessionContext,
  { user, scope, issuesUntilMs }: Proven,
  { browser, id, openedBy }: Omit<UserSession, "user">,
): Promise<Session & { readonly wasKnown: boolean }> {
  const nowMs = context.clock.now();
  const expiresAtMs = earlierEnd(nowMs + SESSION_LIFE_MS, issuesUntilMs)!;
  const [secret, pageKey] = [newSecret(context), newSecret(context)];
  const isNew = await insertToken(context.db, {
    id: id ?? context.random.uuid(),
    userId: user.id,
    kind: "session",
    name: browser,
    hash: hashToken(secret),
    pageKeyHash: hashToken(pageKey),
    sealed: null,
    createdAtMs: nowMs,
    scope,
    expiresAtMs,
    issuesUntilMs,
    openedBy,
  });
  return { secret, pageKey, lifeMs: expiresAtMs - nowMs, user, wasKnown: !isNew };
}

export interface UserSession {
  /** The id of the session, or none to have one made. */
  readonly id?: string;
  readonly user: Caller;
  /** Name of the session in the list of the account. */
  readonly browser: string;
  /** The provider that opened the session, and can end it. */
  readonly openedBy?: ProviderSession | undefined;
}

/** Opens a session for a user whom a provider has proven. Returns undefined if the id was used before. */
export async function openUserSession(
  context: SessionContext,
  { user, ...session }: UserSession,
): Promise<Session | undefined> {
  const owner = { user, scope: "everything", issuesUntilMs: null } as const;
  const { wasKnown, ...opened } = await insertSession(context, owner, session);
  return wasKnown ? undefined : opened;
}

/** An e-mail address and an access token of that user, as REANA's web page asks for them. */
export interface Login {
  readonly email: string;
  readonly password: string;
  /** Name of the session in the list of the account. */
  readonly browser: string;
}

/** Opens a session that is a cookie alone, for REANA's web page. */
export async function openCookieSession(
  context: SessionContext,
  { email, password, browser }: Login,
): Promise<Omit<Session, "pageKey">> {
  const nowMs = context.clock.now();
  const session = await transaction(context.db, async (db) => {
    const owner = await maybeSigner(db, password, nowMs);
    if (owner === undefined || !isSame(email.trim().toLowerCase(), owner.user.email.toLowerCase()))
      throw new Refusal("forbidden", NO_LOGIN);
    const { user, scope, issuesUntilMs } = owner;
    const expiresAtMs = earlierEnd(nowMs + COOKIE_LIFE_MS, issuesUntilMs)!;
    const which = {
      userId: user.id,
      kind: "cookie",
      name: browser,
      scope,
      expiresAtMs,
      issuesUntilMs,
    } as const;
    return { secret: await insertSecret(context, db, which), lifeMs: expiresAtMs - nowMs, user };
  });
  crashPoint("session-opened");
  return session;
}

const NO_LOGIN =
  "This e-mail address and password do not match. Give the address of your account, and one of your access tokens " +
  "as the password. The server's administrator can issue another token.";

/** Limits inherited by a session from the code or token used to sign in. */
interface Proven extends Pick<NewToken, "scope" | "issuesUntilMs"> {
  readonly user: Caller;
}

async function proven(context: SessionContext, { code, token = "" }: Proof, nowMs: number): Promise<Proven> {
  if (code !== undefined) {
    const redeemed = await maybeRedeemCode(context.db, hashToken(code), nowMs);
    const user = redeemed && (await maybeUser(context.db, redeemed.userId));
    if (user?.disabledAtMs === null) return { ...redeemed!, user };
    throw new Refusal(
      "forbidden",
      "This sign-in code cannot be used: a code works once, for ten minutes. `reprise login` prints another.",
    );
  }
  const owner = await maybeSigner(context.db, token, nowMs);
  if (owner) return owner;
  throw new Refusal(
    "forbidden",
    "This token is not accepted. Check it, or ask the server's administrator for a new one.",
  );
}

/** Returns the user with a given token. The token must be an active access token. */
async function maybeSigner(db: Connection, token: string, nowMs: number): Promise<Proven | undefined> {
  const owner = await maybeTokenOwner(db, hashToken(token), nowMs);
  return owner?.kind === "token" && owner.refusal === undefined ? owner : undefined;
}

/** Closes the session: its open streams end too. */
export async function closeSession(
  context: Pick<AccountServices, "db" | "clock">,
  secret: string,
): Promise<void> {
  const nowMs = context.clock.now();
  const owner = await maybeTokenOwner(context.db, hashToken(secret), nowMs);
  if (owner?.kind !== "session" && owner?.kind !== "cookie") return;
  await revokeOneToken(context.db, { userId: owner.user.id, id: owner.id }, nowMs);
  crashPoint("session-closed");
}

interface NewSecret extends Pick<NewToken, "userId" | "name" | "scope" | "expiresAtMs" | "issuesUntilMs"> {
  readonly kind: "cookie" | "code";
}

function newSecret({ random }: Pick<SessionContext, "random">): string {
  return random.bytes(SECRET_BYTES).toString("base64url");
}

async function insertSecret(context: SessionContext, db: Connection, which: NewSecret): Promise<string> {
  const { random, clock } = context;
  const secret = newSecret(context);
  await insertToken(db, {
    ...which,
    id: random.uuid(),
    hash: hashToken(secret),
    sealed: null,
    createdAtMs: clock.now(),
  });
  return secret;
}
