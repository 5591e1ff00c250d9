import type { Caller, Operations } from "#operations/context";
import { changing, type Keyed } from "#operations/idempotency";
import { signIn } from "#operations/users/sign-in";
import { hashToken } from "#operations/users/token-shape";
import { Refusal } from "#plumbing/errors";
import { type Connection, transaction } from "#store/database/database";
import {
  forgetExpiredTokens,
  insertToken,
  maybeRedeemCode,
  maybeTokenOwner,
  revokeOneToken,
} from "#store/users/tokens";
import { maybeUser } from "#store/users/users";

/** How long a sign-in code can be used, once. */
const CODE_LIFE_MS = 10 * 60_000;
/** How long a browser stays signed in. */
const SESSION_LIFE_MS = 30 * 24 * 3_600_000;

const SECRET_BYTES = 32;

type Context = Pick<Operations, "db" | "clock" | "random">;

export interface IssuedCode {
  readonly code: string;
  readonly expiresAtMs: number;
}

/** Issues a code with which the user's browser signs in, once. */
export async function issueCode(context: Context & Keyed, userId: string): Promise<IssuedCode> {
  const expiresAtMs = context.clock.now() + CODE_LIFE_MS;
  return changing(context, async (db) => {
    await forgetExpiredTokens(db, context.clock.now());
    const code = await insertSecret(context, db, { userId, kind: "code", name: null, expiresAtMs });
    return { code, expiresAtMs };
  });
}

/** What a browser signs in with: a code, or an access token. */
export interface Proof {
  readonly code?: string | undefined;
  readonly token?: string | undefined;
  /** Name of the session in the list of the account. */
  readonly browser: string;
}

export interface Session {
  readonly secret: string;
  readonly lifeMs: number;
  readonly user: Caller;
}

/** Opens a session with a new secret, so that no session can be prepared by anybody else. */
export async function openSession(context: Context, proof: Proof): Promise<Session> {
  const nowMs = context.clock.now();
  return transaction(context.db, async (db) => {
    const user = await provenUser({ ...context, db }, proof, nowMs);
    const expiresAtMs = nowMs + SESSION_LIFE_MS;
    const which = { userId: user.id, kind: "session", name: proof.browser, expiresAtMs } as const;
    return { secret: await insertSecret(context, db, which), lifeMs: SESSION_LIFE_MS, user };
  });
}

async function provenUser(context: Context, { code, token }: Proof, nowMs: number): Promise<Caller> {
  if (code !== undefined) {
    const userId = await maybeRedeemCode(context.db, hashToken(code), nowMs);
    const user = userId === undefined ? undefined : await maybeUser(context.db, userId);
    if (user?.disabledAtMs === null) return user;
    throw new Refusal(
      "forbidden",
      "This sign-in code cannot be used: a code works once, for ten minutes. `reprise login` prints another.",
    );
  }
  const user = await signIn(context, { kind: "token", secret: token ?? "" });
  if (typeof user !== "string") return user;
  throw new Refusal(
    "forbidden",
    "This token is not accepted. Check it, or ask the server's administrator for a new one.",
  );
}

/** Closes the session: its open streams end too. */
export async function closeSession(context: Pick<Operations, "db" | "clock">, secret: string): Promise<void> {
  const nowMs = context.clock.now();
  const owner = await maybeTokenOwner(context.db, hashToken(secret), nowMs);
  if (owner?.kind !== "session") return;
  await revokeOneToken(context.db, { userId: owner.user.id, id: owner.id }, nowMs);
}

interface NewSecret {
  readonly userId: string;
  readonly kind: "session" | "code";
  readonly name: string | null;
  readonly expiresAtMs: number;
}

async function insertSecret(context: Context, db: Connection, which: NewSecret): Promise<string> {
  const { random, clock } = context;
  const secret = random.bytes(SECRET_BYTES).toString("base64url");
  await insertToken(db, {
    ...which,
    id: random.uuid(),
    hash: hashToken(secret),
    sealed: null,
    createdAtMs: clock.now(),
  });
  return secret;
}
