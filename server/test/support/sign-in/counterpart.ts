import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** A real provider of OpenID Connect (oidc-provider) on a loopback port, whose tokens a test can change on their way. */
export interface Counterpart {
  readonly issuer: string;
  /** Claims of the people, by login. The login is the subject. */
  readonly people: Map<string, Readonly<Record<string, unknown>>>;
  /** Changes the claims and the header of each ID token. Undefined: tokens stay as they are. */
  forge: ((token: Token) => string) | undefined;
  /** True while each request is answered by a fault. */
  isAway: boolean;
  /** The requests until now. */
  requests(): number;
  /** Replaces the keys of signatures. */
  rollKeys(): void;
  /** Sends people back to this address alone. */
  sendBackTo(redirectUri: string): void;
  /** Signs the claims with the present key. */
  signed(token: Token): string;
  /** Signs a person in at an address of the provider. Returns the address to which the browser is sent back. */
  visit(url: string, login: string): Promise<string>;
  /** Logins of people whom the provider no longer knows. */
  readonly gone: Set<string>;
  /** The error with which the provider answers each question of a device. Undefined: as the person has decided. */
  deviceError: string | undefined;
  /** Enters the code of a device, and signs a person in or declines. */
  enterCode(address: string, login: string, decision?: "decline"): Promise<void>;
  /** Signs a person out at the provider, in the browser of the last visit. */
  signOut(login: string): Promise<void>;
  close(): Promise<void>;
}

export interface Token {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface CounterpartOptions {
  /** The address to which the provider sends logout tokens. */
  readonly logoutUri?: string;
  readonly redirectUris: readonly string[];
  /** The host of the issuer. Default: 127.0.0.1. A browser takes localhost for another site. */
  readonly host?: "localhost";
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** False if the provider does not sign in devices. Default: true. */
  readonly hasDevices?: boolean;
}

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

interface Key {
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly kid: string;
}

let keys = 0;

function newKey(): Key {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const kid = `key-${(keys += 1)}`;
  return { jwk: { ...privateKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" }, kid };
}

export const CLIENT = { id: "reprise", secret: "the-secret-of-the-client" };

export async function startCounterpart(options: CounterpartOptions): Promise<Counterpart> {
  const state = { key: newKey(), requests: 0, redirectUris: options.redirectUris };
  let callback: ReturnType<Provider["callback"]> = () => undefined;
  const server = createServer((request, response) => {
    state.requests += 1;
    if (!the.isAway) return callback(request, response);
    response.statusCode = 503;
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://${options.host ?? "127.0.0.1"}:${(server.address() as AddressInfo).port}`;
  const browsers = new Map<string, Visitor>();
  const the: Counterpart = {
    issuer,
    people: new Map(),
    forge: undefined,
    isAway: false,
    gone: new Set(),
    deviceError: undefined,
    async enterCode(address, login, decision) {
      await enterCode(new Visitor(address), { address, login, isDeclined: decision === "decline" });
    },
    requests: () => state.requests,
    rollKeys() {
      state.key = newKey();
      open();
    },
    sendBackTo(redirectUri) {
      state.redirectUris = [redirectUri];
      open();
    },
    signed: (token) => signed(token, state.key),
    async visit(url, login) {
      const visitor = new Visitor(url);
      browsers.set(login, visitor);
      await visitor.open(url);
      await passPrompts(visitor, login);
      return visitor.url;
    },
    signOut: (login) => signOut(browsers.get(login)!, issuer),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  const open = () => {
    const { key, redirectUris } = state;
    callback = providerOf(the, key, { ...options, redirectUris }).callback();
  };
  open();
  return the;
}

function providerOf(the: Counterpart, { jwk }: Key, options: CounterpartOptions): Provider {
  const provider = new Provider(the.issuer, {
    clients: [
      {
        client_id: options.clientId ?? CLIENT.id,
        client_secret: options.clientSecret ?? CLIENT.secret,
        redirect_uris: options.redirectUris,
        grant_types: [
          "authorization_code",
          "refresh_token",
          ...(options.hasDevices === false ? [] : [DEVICE_GRANT]),
        ],
        response_types: ["code"],
        ...(options.logoutUri !== undefined && {
          backchannel_logout_uri: options.logoutUri,
          backchannel_logout_session_required: true,
        }),
      },
    ],
    jwks: { keys: [jwk] },
    // The provider's own function refuses this machine.
    fetch: (url: URL, { method, headers, body }: RequestInit) =>
      fetch(url, { method, headers, body } as RequestInit),
    features: { backchannelLogout: { enabled: true }, deviceFlow: { enabled: options.hasDevices !== false } },
    cookies: { keys: ["a key of the cookies"], names: cookieNames(the.issuer) },
    claims: {
      openid: ["sub", "groups", "roles", "realm_access"],
      email: ["email", "email_verified"],
      profile: ["name"],
    },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      RefreshToken: 600,
      IdToken: 600,
      Session: 600,
      Interaction: 600,
    },
    issueRefreshToken: async () => true,
    findAccount: (_context: unknown, sub: string) =>
      the.gone.has(sub) ? undefined : { accountId: sub, claims: () => ({ sub, ...the.people.get(sub) }) },
  });
  provider.use(async (context, next) => {
    if (["/token", "/device/auth"].includes(context.path) && the.deviceError !== undefined) {
      context.status = 400;
      context.body = { error: the.deviceError };
      return;
    }
    await next();
    const body = context.body as { id_token?: string } | undefined;
    if (context.path !== "/token" || body?.id_token === undefined || !the.forge) return;
    context.body = { ...body, id_token: the.forge(parsed(body.id_token)) };
  });
  return provider;
}

/** Returns names of cookies of one port: browsers send cookies to all ports of a host. */
function cookieNames(issuer: string) {
  const port = new URL(issuer).port;
  return { session: `session-${port}`, interaction: `interaction-${port}`, resume: `resume-${port}` };
}

function parsed(token: string): Token {
  const [header, claims] = token
    .split(".", 2)
    .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>);
  return { header: header!, claims: claims! };
}

function signed({ header, claims }: Token, { jwk, kid }: Key): string {
  const text = unsigned({ header: { ...header, kid }, claims });
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  return `${text}${sign("sha256", Buffer.from(text.slice(0, -1)), key).toString("base64url")}`;
}

/** Returns a token without a signature. */
export function unsigned({ header, claims }: Token): string {
  const [head, body] = [header, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  return `${head}.${body}.`;
}

/** Signs a token with a key that the provider does not have. */
export function signedByStranger(token: Token): string {
  const stranger = newKey();
  return signed(token, { ...stranger, kid: String(token.header["kid"]) });
}

/** A browser without a screen, which keeps cookies and follows redirects within the provider. */
class Visitor {
  readonly #cookies = new Map<string, string>();
  readonly #origin: string;
  /** The address of the last page. */
  url: string;

  constructor(url: string) {
    this.url = url;
    this.#origin = new URL(url).origin;
  }

  /** Returns the page at the end of the redirects. Stops at an address elsewhere. */
  async open(url: string, form?: Readonly<Record<string, string>>): Promise<string> {
    this.url = new URL(url, this.url).href;
    if (new URL(this.url).origin !== this.#origin) return "";
    const reply = await fetch(this.url, {
      redirect: "manual",
      headers: { cookie: [...this.#cookies].map((pair) => pair.join("=")).join("; ") },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const cookie of reply.headers.getSetCookie()) this.#keep(cookie);
    const next = reply.headers.get("location");
    return next === null ? reply.text() : this.open(next);
  }

  #keep(cookie: string): void {
    const [name = "", value = ""] = cookie.split(";", 1)[0]!.split("=");
    if (value === "") this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}

interface CodeEntry {
  readonly address: string;
  readonly login: string;
  readonly isDeclined: boolean;
}

/** Fills in the provider's forms for the code of a device. The address has the code in it. */
async function enterCode(visitor: Visitor, { address, login, isDeclined }: CodeEntry): Promise<void> {
  const page = await visitor.open(address);
  const xsrf = fieldOf(page, "xsrf");
  const user_code = new URL(address).searchParams.get("user_code")!;
  const place = new URL(address).origin + "/device";
  const confirmation = await visitor.open(place, { xsrf, user_code });
  const form = { xsrf: fieldOf(confirmation, "xsrf"), user_code };
  await visitor.open(place, { ...form, ...(isDeclined ? { abort: "yes" } : { confirm: "yes" }) });
  if (!isDeclined) await passPrompts(visitor, login);
}

function fieldOf(page: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? "";
}

async function signOut(visitor: Visitor, issuer: string): Promise<void> {
  const page = await visitor.open(`${issuer}/session/end`);
  await visitor.open(`${issuer}/session/end/confirm`, { xsrf: fieldOf(page, "xsrf"), logout: "yes" });
}

/** Fills in the provider's forms for the login and the consent. */
async function passPrompts(visitor: Visitor, login: string): Promise<void> {
  for (const form of [{ prompt: "login", login, password: "any" }, { prompt: "consent" }]) {
    if (visitor.url.includes("/interaction/")) await visitor.open(visitor.url, form);
  }
}
