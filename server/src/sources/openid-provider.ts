import type * as openIdClient from "openid-client";
import type { Configuration, ServerMetadata } from "openid-client";
import { type Clock, systemClock } from "#plumbing/clock";
import { codeOf, messageOf, Refusal } from "#plumbing/errors";
import { ProviderAway, providerFetch } from "#sources/openid-fetch";
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
}

/** A provider of sign-in that speaks OpenID Connect. */
export interface OpenIdProvider {
  /** Returns the address to which the browser goes. */
  begin(redirectUri: string): Promise<PendingSignIn & { readonly url: string }>;
  /** Checks the answer with which the provider sent the browser back, `?code=…&state=…`. */
  complete(pending: PendingSignIn, answer: string): Promise<ProvenPerson>;
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
  const explained = <Result>(work: () => Promise<Result>) => explaining(access, context, work);
  return {
    begin: (redirectUri) => explained(() => begin(client, redirectUri)),
    complete: (pending, answer) => explained(() => complete(client, pending, answer)),
    checkLogout: (token) =>
      explaining(access, { ...context, refuse: noLogout }, async () => {
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

interface Tokens {
  readonly access_token: string;
  claims(): { readonly iss: string; readonly sub: string; readonly sid?: unknown } | undefined;
}

/** Returns the claims of the token, completed by the provider's page of the person, if there is one. */
async function personOf(
  { library, config }: { readonly library: Library; readonly config: Configuration },
  tokens: Tokens,
): Promise<ProvenPerson> {
  const claims = tokens.claims();
  if (!claims) throw new Error("The provider sent no ID token.");
  const { iss: issuer, sub: subject, sid } = claims;
  const hasPage = config.serverMetadata().userinfo_endpoint !== undefined;
  const more = hasPage ? await library.fetchUserInfo(config, tokens.access_token, subject) : {};
  const session = typeof sid === "string" ? sid : undefined;
  return { issuer, subject, session, claims: { ...more, ...claims } };
}

/** Tells the person in a sentence what failed, and the log the details. */
async function explaining<Result>(
  { title }: ProviderAccess,
  { note, refuse = notAccepted }: Pick<ProviderServices, "note"> & { readonly refuse?: typeof notAccepted },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    note(reasonsOf(error));
    throw isAway(error) ? away(title, error) : refuse(title, error);
  }
}

/** Returns the messages of an error and its causes, and no other part: a part may hold a token. */
function reasonsOf(error: unknown): readonly string[] {
  const reason = [codeOf(error), messageOf(error)].filter((one) => one !== undefined).join(": ");
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? [reason, ...reasonsOf(cause)] : [reason];
}

function away(title: string, cause: unknown): Refusal {
  return new Refusal(
    "unavailable",
    `${title} does not respond, so it can sign nobody in now. Browsers and programs that are signed in stay signed in. ` +
      "Try again in a few minutes.",
    { cause },
  );
}

function notAccepted(title: string, cause: unknown): Refusal {
  const why = maybeReason(cause);
  return new Refusal(
    "forbidden",
    `${title} did not sign you in${why === undefined ? ": its answer was not accepted" : ` (${why})`}. ` +
      "Begin again on the sign-in page. If it fails again, ask the server's administrator: the log has the details.",
    { cause },
  );
}

function noLogout(title: string, cause: unknown): Refusal {
  return new Refusal(
    "forbidden",
    `The logout token of ${title} was not accepted, so nobody was signed out. The log of this server has the details.`,
    { cause },
  );
}

/** Returns the provider's own word for a refusal, such as `access_denied`. */
function maybeReason(error: unknown): string | undefined {
  const word = (error as { readonly error?: unknown } | null)?.error;
  return typeof word === "string" && /^[a-z_]{1,40}$/.test(word) ? word : undefined;
}

function isAway(error: unknown): boolean {
  if (error instanceof ProviderAway) return true;
  const { name, cause } = (error ?? {}) as { readonly name?: unknown; readonly cause?: unknown };
  return name === "TimeoutError" || (cause !== undefined && isAway(cause));
}
