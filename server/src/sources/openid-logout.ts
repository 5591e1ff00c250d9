import type { JWTPayload, JWTVerifyGetKey } from "jose";
import type { ServerMetadata } from "openid-client";
import { providerFetch } from "#sources/openid-fetch";

/** The clocks of the two servers may differ by this much. */
export const CLOCK_TOLERANCE_SECONDS = 60;
/** Keys are read again for a token with an unknown key, but not more often: anybody can send such tokens. */
const KEYS_PAUSE_MS = 1000;
const LIMIT_MS = 10_000;
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** Sessions that a provider declares ended: of a person, of one session there, or of both. */
export interface LoggedOut {
  readonly issuer: string;
  readonly subject: string | undefined;
  readonly session: string | undefined;
  readonly issuedAtMs: number;
}

interface Expected {
  readonly metadata: ServerMetadata;
  readonly clientId: string;
  readonly nowMs: number;
}

/** Checks logout tokens of a provider, and keeps the provider's keys for them. */
export class LogoutKeys {
  #address: string | undefined;
  #keys: JWTVerifyGetKey | undefined;

  /** Checks a token by OpenID Connect Back-Channel Logout 1.0, section 2.6. */
  async check(token: string, { metadata, clientId, nowMs }: Expected): Promise<LoggedOut> {
    const { createRemoteJWKSet, customFetch, jwtVerify } = await import("jose");
    const address = metadata.jwks_uri;
    if (address === undefined) throw new Error("The provider names no keys.");
    if (address !== this.#address) {
      const options = { timeoutDuration: LIMIT_MS, cooldownDuration: KEYS_PAUSE_MS };
      this.#keys = createRemoteJWKSet(new URL(address), { ...options, [customFetch]: fetchKeys });
      this.#address = address;
    }
    const { payload } = await jwtVerify(token, this.#keys!, {
      issuer: metadata.issuer,
      audience: clientId,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(nowMs),
      requiredClaims: ["iat", "exp", "jti", "events"],
    });
    return loggedOut(payload, metadata.issuer, nowMs);
  }
}

const fetchKeys = (address: string, options: object) =>
  providerFetch(address, options as Parameters<typeof providerFetch>[1]);

function loggedOut(payload: JWTPayload, issuer: string, nowMs: number): LoggedOut {
  const { events, nonce, sub: subject, sid, iat = 0 } = payload;
  const session = typeof sid === "string" ? sid : undefined;
  // An ID token must not end sessions: it has no event, and it may have a nonce.
  if (!isLogout(events)) throw new Error("The token is not a logout token: it has no such event.");
  if (nonce !== undefined) throw new Error("The token is not a logout token: it has a nonce.");
  if (subject === undefined && session === undefined)
    throw new Error("The logout token names neither a person nor a session.");
  const issuedAtMs = iat * 1000;
  if (issuedAtMs > nowMs + CLOCK_TOLERANCE_SECONDS * 1000)
    throw new Error("The logout token was issued in the future.");
  return { issuer, subject, session, issuedAtMs };
}

function isLogout(events: unknown): boolean {
  const event = (events as Readonly<Record<string, unknown>> | null)?.[EVENT];
  return typeof event === "object" && event !== null && !Array.isArray(event);
}
