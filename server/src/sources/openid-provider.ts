import type * as openIdClient from "openid-client";
import type { Configuration, ServerMetadata } from "openid-client";
import { type Clock, systemClock } from "#plumbing/clock";
import { type BegunDevice, beginDevice, noDevice, redeemDevice } from "#sources/openid-device";
import { explaining, maybeReason, noLogout } from "#sources/openid-failures";
import { providerFetch } from "#sources/openid-fetch";
import { CLOCK_TOLERANCE_SECONDS, type LoggedOut, LogoutKeys } from "#sources/openid-logout";
import type { Claims } from "#workflow/people/provider-rules";

type Library = typeof openIdClient;

/** Identification of this server at a provider. */
export interface ProviderAccess {
  readonly title: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scopes: string;
}

/** Secrets of a sign-in until the browser returns from the provider. Only the server may read the secrets. */
export interface PendingSignIn {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A person, as a provider has proven. */
export interface ProvenPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Claims;
  /** The person's session at the provider, if the provider names it. */
  readonly session: string | undefined;
  /** Secret with which the server asks about the person again, if the provider gives one. */
  readonly refreshToken: string | undefined;
}

export type { BegunDevice };
/** `slow-down`: the caller must ask less often. */
export type DeviceWait = "pending" | "slow-down";

/** A provider of sign-in that speaks OpenID Connect. */
export interface OpenIdProvider {
  /** Returns the address to which the browser goes. */
  begin(redirectUri: string): Promise<PendingSignIn & { readonly url: string }>;
  /** Checks the answer with which the provider sent the browser back, `?code=…&state=…`. */
  complete(pending: PendingSignIn, answer: string): Promise<ProvenPerson>;
  /** Begins a sign-in of a device without a browser. */
  beginDevice(): Promise<BegunDevice>;
  /** Asks whether the person has entered the code. */
  completeDevice(deviceCode: string): Promise<ProvenPerson | DeviceWait>;
  /** Asks about a person again. Returns `gone` if the provider no longer knows the person's consent. */
  refresh(person: Pick<ProvenPerson, "subject">, refreshToken: string): Promise<ProvenPerson | "gone">;
  /** Checks a logout token, which the provider sends by itself. */
  checkLogout(token: string): Promise<LoggedOut>;
}

interface ProviderServices {
  readonly clock: Clock;
  /** Records the details of a failure, which are kept from the person. */
  readonly note: (reasons: readonly string[]) => void;
}

/** A provider's description of itself is read again after this time. */
const DESCRIPTION_LIFE_MS = 5 * 60_000;
const LIMIT_SECONDS = 10;

/** Opens a provider. Nothing is loaded or requested before the first sign-in. */
export function openProvider(access: ProviderAccess, context: ProviderServices): OpenIdProvider {
  const client = new Client(access, context);
  const keys = new LogoutKeys();
  const [{ title }, { note }] = [access, context];
  const explained = <Result>(work: () => Promise<Result>) => explaining({ title, note }, work);
  const ofDevice = <Result>(work: () => Promise<Result>) =>
    explaining({ title, note, refuse: noDevice }, work);
  return {
    begin: (redirectUri) => explained(() => begin(client, redirectUri)),
    complete: (pending, answer) => explained(() => complete(client, pending, answer)),
    beginDevice: () => ofDevice(async () => beginDevice(await client.configure(), access)),
    completeDevice: (deviceCode) =>
      ofDevice(async () => {
        const configured = await client.configure();
        const tokens = await redeemDevice(configured, deviceCode);
        return typeof tokens === "string" ? tokens : personOf(configured, tokens);
      }),
    refresh: (person, refreshToken) =>
      explained(async () => refresh(await client.configure(), access, { ...person, refreshToken })),
    checkLogout: (token) =>
      explaining({ title, note, refuse: noLogout }, async () => {
        const { config } = await client.configure();
        const { clientId } = access;
        return keys.check(token, { metadata: config.serverMetadata(), clientId, nowMs: context.clock.now() });
      }),
  };
}

/** This server as a client of a provider. */
class Client {
  readonly access: ProviderAccess;
  readonly #clock: Clock;
  #described: { readonly metadata: ServerMetadata; readonly atMs: number } | undefined;

  constructor(access: ProviderAccess, { clock }: Pick<ProviderServices, "clock">) {
    this.access = access;
    this.#clock = clock;
  }

  /** Returns a configuration of its own for each use, so that the provider's keys are always read again. */
  async configure(): Promise<{ readonly library: Library; readonly config: Configuration }> {
    const library = await import("openid-client");
    const metadata = await this.#describe(library);
    const { clientId, clientSecret } = this.access;
    const config = new library.Configuration(
      metadata,
      clientId,
      {
        [library.clockSkew]: Math.round((this.#clock.now() - systemClock.now()) / 1000),
        [library.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
      },
      authentication(library, metadata, clientSecret),
    );
    config.timeout = LIMIT_SECONDS;
    config[library.customFetch] = providerFetch;
    // Checks the signature of each token, also of a token that came over TLS.
    library.enableNonRepudiationChecks(config);
    if (this.#isOnThisMachine) library.allowInsecureRequests(config);
    return { library, config };
  }

  async #describe(library: Library): Promise<ServerMetadata> {
    const nowMs = this.#clock.elapsedMs();
    if (this.#described && nowMs - this.#described.atMs < DESCRIPTION_LIFE_MS)
      return this.#described.metadata;
    const { issuer, clientId } = this.access;
    const found = await library.discovery(new URL(issuer), clientId, undefined, library.None(), {
      timeout: LIMIT_SECONDS,
      [library.customFetch]: providerFetch,
      ...(this.#isOnThisMachine && { execute: [library.allowInsecureRequests] }),
    });
    const metadata = found.serverMetadata();
    this.#described = { metadata, atMs: nowMs };
    return metadata;
  }

  /** The settings allow plain HTTP only for a provider on this machine. */
  get #isOnThisMachine(): boolean {
    return this.access.issuer.startsWith("http:");
  }
}

/** Sends the secret in the way that the provider accepts. The way without a mention is the header. */
function authentication(library: Library, metadata: ServerMetadata, secret: string | undefined) {
  if (secret === undefined) return library.None();
  const isPosted = metadata.token_endpoint_auth_methods_supported?.includes("client_secret_post") ?? false;
  return isPosted ? library.ClientSecretPost(secret) : library.ClientSecretBasic(secret);
}

async function begin(client: Client, redirectUri: string): Promise<PendingSignIn & { readonly url: string }> {
  const { library, config } = await client.configure();
  const [state, nonce, verifier] = [
    library.randomState(),
    library.randomNonce(),
    library.randomPKCECodeVerifier(),
  ];
  const url = library.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: client.access.scopes,
    state,
    nonce,
    code_challenge: await library.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  return { url: url.href, redirectUri, state, nonce, verifier };
}

async function complete(client: Client, pending: PendingSignIn, answer: string): Promise<ProvenPerson> {
  const { library, config } = await client.configure();
  const url = new URL(pending.redirectUri);
  url.search = answer;
  const tokens = await library.authorizationCodeGrant(config, url, {
    expectedState: pending.state,
    expectedNonce: pending.nonce,
    pkceCodeVerifier: pending.verifier,
    idTokenExpected: true,
  });
  return personOf({ library, config }, tokens);
}

/** A refresh need not return an ID token. The page of the person then names the subject, which must be the same. */
async function refresh(
  configured: Configured,
  { issuer }: ProviderAccess,
  { subject, refreshToken }: { readonly subject: string; readonly refreshToken: string },
): Promise<ProvenPerson | "gone"> {
  const { library, config } = configured;
  try {
    const tokens = await library.refreshTokenGrant(config, refreshToken);
    const claims = tokens.claims() ?? { iss: issuer, sub: subject };
    if (claims.sub !== subject) throw new Error("The provider refreshed the token of another person.");
    const person = await personOf(configured, { ...tokens, claims: () => claims });
    return { ...person, refreshToken: person.refreshToken ?? refreshToken };
  } catch (error) {
    if (maybeReason(error) === "invalid_grant") return "gone";
    throw error;
  }
}

interface Configured {
  readonly library: Library;
  readonly config: Configuration;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  claims(): { readonly iss: string; readonly sub: string; readonly sid?: unknown } | undefined;
}

/** Returns the claims of the token, completed by the provider's page of the person, if there is one. */
async function personOf({ library, config }: Configured, tokens: Tokens): Promise<ProvenPerson> {
  const claims = tokens.claims();
  if (!claims) throw new Error("The provider sent no ID token.");
  const { iss: issuer, sub: subject, sid } = claims;
  const hasPage = config.serverMetadata().userinfo_endpoint !== undefined;
  const more = hasPage ? await library.fetchUserInfo(config, tokens.access_token, subject) : {};
  const session = typeof sid === "string" ? sid : undefined;
  return { issuer, subject, session, claims: { ...more, ...claims }, refreshToken: tokens.refresh_token };
}
