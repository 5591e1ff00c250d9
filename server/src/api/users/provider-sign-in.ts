import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { credentialOf } from "#api/http/access/credentials";
import { serverAddress } from "#api/http/access/server-address";
import { isFromOwnPage, PAGE_COOKIE } from "#api/http/access/session-cookie";
import { nullable } from "#api/http/document/schemas";
import { endpoint } from "#api/http/endpoint";
import { browserName } from "#api/users/browser-name";
import { NewSessionRecord, sessionRecord } from "#api/users/session";
import {
  beginProviderSignIn,
  completeProviderSignIn,
  listOwnProviders,
} from "#operations/users/provider-sign-in";
import { logOutByProvider } from "#operations/users/provider-logout";
import { removeProvider } from "#operations/users/remove-provider";
import { Refusal } from "#plumbing/errors";

/** The name of a provider in a path. */
export const PROVIDER = Type.Object({
  provider: Type.String({ description: "Name of a provider of sign-in, as `GET /api/config` lists them." }),
});

const Begun = Type.Object(
  {
    url: Type.String({ description: "The address at the provider, to which the browser goes." }),
    attempt: Type.String({ description: "Kept by the page, and sent with the provider's answer." }),
  },
  { title: "BegunSignIn" },
);

export const beginProviderSignInEndpoint = endpoint({
  operation: "begin-provider-sign-in",
  summary: "Begin to sign a browser in by a provider: returns the address to which the browser goes",
  access: "anyone",
  changesNothing: true,
  refuses: [403, 404, 503],
  schema: { params: PROVIDER, response: { 201: Begun } },
  async handle(context, request, reply) {
    refuseOtherPage(request);
    reply.header("cache-control", "no-store");
    return beginProviderSignIn(context, {
      provider: request.params.provider,
      origin: serverAddress(context, request),
    });
  },
});

export const listOwnProvidersEndpoint = endpoint({
  operation: "list-own-providers",
  summary: "List the providers of sign-in, and say by which the caller can sign in",
  access: "user",
  schema: {
    response: {
      200: Type.Array(
        Type.Object(
          {
            name: Type.String(),
            title: Type.String(),
            added: Type.Boolean(),
            asks: Type.Boolean({ description: "True if a person of the provider asks to open the account." }),
            offered: Type.Boolean({
              description: "False if the provider has left the settings. It then signs nobody in.",
            }),
          },
          { title: "OwnProvider" },
        ),
      ),
    },
  },
  handle: async (context, { caller }) =>
    (await listOwnProviders(context, caller.id)).map(({ name, title, isAdded, isAsking, isOffered }) => ({
      name,
      title,
      added: isAdded,
      asks: isAsking,
      offered: isOffered,
    })),
});

export const addProviderEndpoint = endpoint({
  operation: "begin-adding-provider",
  summary:
    "Begin to add a provider to the account of the caller: returns the address to which the browser goes",
  access: "user",
  changesNothing: true,
  refuses: [403, 404, 503],
  schema: { params: PROVIDER, response: { 201: Begun } },
  async handle(context, request) {
    refuseOtherPage(request);
    return beginProviderSignIn(context, {
      provider: request.params.provider,
      origin: serverAddress(context, request),
      adder: { userId: request.caller.id, secret: credentialOf(request)!.secret },
    });
  },
});

export const removeProviderEndpoint = endpoint({
  operation: "remove-provider",
  summary:
    "Remove a provider from the account of the caller, and end the sessions that it opened there, except the one of the request",
  access: "user",
  worksOnFullDisk: true,
  refuses: [403, 404, 409],
  schema: {
    params: PROVIDER,
    response: {
      200: Type.Object({ ended: Type.Integer({ description: "Number of sessions that ended." }) }),
    },
  },
  async handle(context, request) {
    refuseOtherPage(request);
    const { secret } = credentialOf(request)!;
    return removeProvider(context, { user: request.caller, provider: request.params.provider, secret });
  },
});

export const completeProviderSignInEndpoint = endpoint({
  operation: "complete-provider-sign-in",
  summary: "Sign a browser in with the answer of a provider: sets the cookie, and returns the page key",
  access: "anyone",
  hidesBody: true,
  needsBody: true,
  refuses: [403, 404, 409, 413, 415, 503],
  schema: {
    params: PROVIDER,
    body: Type.Object({
      attempt: Type.String({ description: "As the sign-in began." }),
      answer: Type.String({ description: "The query with which the provider sent the browser back." }),
    }),
    response: {
      201: Type.Object(
        {
          ...NewSessionRecord.properties,
          token: nullable(
            Type.String({ description: "The user's first access token, at the first sign-in. Shown once." }),
          ),
        },
        { title: "ProviderSession" },
      ),
    },
  },
  async handle(context, request, reply) {
    refuseOtherPage(request);
    const { body, params } = request;
    if (!body) throw new Refusal("malformed", "Nobody was signed in: send JSON with `attempt` and `answer`.");
    const browser = browserName(request.headers["user-agent"]);
    const opened = await completeProviderSignIn(context, { ...body, provider: params.provider, browser });
    const { secret, pageKey, lifeMs, user, token } = opened;
    request.subject = { email: user.email, provider: params.provider };
    PAGE_COOKIE.set(request, reply, secret, lifeMs);
    return { ...sessionRecord(user, context.version), page_key: pageKey, token: token ?? null };
  },
});

export const providerLogoutEndpoint = endpoint({
  operation: "end-provider-sessions",
  summary:
    "End the sessions of a person who signed out at a provider: the provider sends a logout token (OpenID Connect Back-Channel Logout)",
  access: "anyone",
  hidesBody: true,
  needsBody: true,
  takesUrlForm: true,
  refuses: [404, 413, 415, 503],
  // The standard asks for this status.
  statusOf: { forbidden: 400 },
  schema: {
    params: PROVIDER,
    body: Type.Object({
      logout_token: Type.String({ description: "Signed by the provider. Also as a form." }),
    }),
    response: {
      200: Type.Object({ ended: Type.Integer({ description: "Number of sessions that ended." }) }),
    },
  },
  async handle(context, { body, params }, reply) {
    if (!body) throw new Refusal("malformed", "Nobody was signed out: send a form with `logout_token`.");
    reply.header("cache-control", "no-store");
    return logOutByProvider(context, { provider: params.provider, token: body.logout_token });
  },
});

function refuseOtherPage(request: FastifyRequest): void {
  if (isFromOwnPage(request)) return;
  throw new Refusal("forbidden", "Sign in on the page of this server: the request came from elsewhere.");
}
