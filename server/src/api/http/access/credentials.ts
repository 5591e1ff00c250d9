import type { FastifyReply, FastifyRequest } from "fastify";
import { areaOfPath } from "#api/http/document/areas";
import { sendError } from "#api/http/reply/error-replies";
import { inWordsFor } from "#api/http/reply/reana-words";
import type { ApiContext, Route } from "#api/http/endpoint";
import {
  isFromOwnPage,
  PAGE_COOKIE,
  REANA_PAGE_COOKIE,
  refuseForeignPage,
} from "#api/http/access/session-cookie";
import { maybePageProof } from "#api/http/access/page-proof";
import { NOT_WITH_COOKIE_ALONE, opensWithCookieAlone, outOfScope, scopeOf } from "#api/http/access/scope";
import { scopeCovers } from "#workflow/people/token-scope";
import { type Credential, signIn } from "#operations/users/sign-in";

/**
 * Returns a hook that checks the sender of a request and the sender's rights. The hook runs before the
 * request is read, and uses the declaration of the matched route, never the text of the address. No endpoint
 * can omit `access`, because the field has no default.
 */
export function credentialsHook(route: Route, context: ApiContext) {
  const area = areaOfPath(route.path);
  const adminOnly = route.access === "admin";
  const neededScope = scopeOf(route);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const credential = credentialOf(request) ?? (route.takesGitlabToken ? gitlabTokenOf(request) : undefined);
    const token = credential?.kind === "token" ? credential.secret : undefined;
    if (route.admits?.(context, token, request.headers)) return undefined;
    if (credential === undefined || isClosed(credential, context)) return sendError(reply, area.nobody);
    const isSession = credential.kind !== "token";
    if (isSession && !isFromOwnPage(request)) return refuseForeignPage(reply);
    if (credential.kind === "session" && credential.proof === undefined) {
      return sendError(reply, { ...NO_PAGE_KEY, status: area.nobody.status });
    }
    const signedIn = await signIn(context, credential);
    // An ended session counts as no credential: the page asks its user to sign in.
    if (isSession && isEnded(signedIn)) return sendError(reply, area.nobody);
    if (typeof signedIn === "string") return sendError(reply, inWordsFor(request, area.failure[signedIn]));
    const { caller, scope } = signedIn;
    if (credential.kind === "cookie" && !opensWithCookieAlone(route)) {
      return sendError(reply, NOT_WITH_COOKIE_ALONE);
    }
    if (adminOnly && !caller.isAdmin) return sendError(reply, area.notAdmin);
    if (!scopeCovers(scope, neededScope)) return sendError(reply, outOfScope(scope, neededScope));
    request.caller = caller;
    request.scope = scope;
    // Addresses contain tokens, and some replies do too.
    reply.header("cache-control", "no-store");
    return undefined;
  };
}

/** Returns whether the server does not accept sessions of this kind. */
function isClosed({ kind }: Credential, { isForReanaPage }: ApiContext): boolean {
  return kind === "cookie" && !isForReanaPage;
}

/** True for a session that its user can open again, unlike the session of a disabled user. */
function isEnded(failure: unknown): boolean {
  return failure === "unknown" || failure === "revoked" || failure === "expired";
}

/** Returns the token of a GitLab webhook, which belongs to a user of this server. */
function gitlabTokenOf({ raw }: FastifyRequest): Credential | undefined {
  const token = raw.headers["x-gitlab-token"];
  return typeof token === "string" && token !== "" ? { kind: "token", secret: token } : undefined;
}

/**
 * Returns the token from REANA's query parameter or from a bearer header, else the session of the browser's cookie. The
 * page of this server sends its key, and REANA's page cannot. An empty token counts as none.
 */
export function credentialOf(request: FastifyRequest): Credential | undefined {
  const given = (request.query as Record<string, string | string[] | undefined>)["access_token"];
  const inQuery = Array.isArray(given) ? given[0] : given;
  if (inQuery) return { kind: "token", secret: inQuery };
  const header = request.raw.headers.authorization;
  const bearer = header === undefined ? undefined : /^bearer +(\S+) *$/i.exec(header)?.[1];
  if (bearer !== undefined) return { kind: "token", secret: bearer };
  const session = PAGE_COOKIE.secretIn(request);
  const proof = maybePageProof(request);
  const cookie = proof === undefined ? REANA_PAGE_COOKIE.secretIn(request) : undefined;
  if (cookie !== undefined) return { kind: "cookie", secret: cookie };
  return session === undefined ? undefined : { kind: "session", secret: session, proof };
}

/** Text shown as the token on REANA's web page. The page only checks that a token exists. */
export const HIDDEN_TOKEN = "hidden-use-the-token-of-your-sign-in";

/** Reply to a request with the cookie of a session alone. The page shows it to a user whose browser lost the key. */
const NO_PAGE_KEY = {
  message:
    "This browser is signed in only in half: the page did not send its key, which it keeps in the storage of the " +
    "browser. Sign in again. Programs send an access token instead.",
  code: "page-key-missing",
} as const;
