import type { FastifyReply, FastifyRequest } from "fastify";
import { areaOfPath } from "#api/http/areas";
import { sendError } from "#api/http/error-replies";
import { inWordsFor } from "#api/http/reana-words";
import type { ApiContext, Route } from "#api/http/endpoint";
import { signIn } from "#operations/users/sign-in";

/**
 * Returns a hook that checks who sends the request and whether they may. It runs before the request is read, and by
 * what the matched route declares, never by the text of the address. No endpoint can omit `access`: it has no default.
 */
export function credentialsHook(route: Route, context: ApiContext) {
  const area = areaOfPath(route.path);
  const adminOnly = route.access === "admin";
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const token = tokenOf(request);
    if (route.admits?.(context, token)) return undefined;
    if (token === undefined) return sendError(reply, area.nobody);
    const caller = await signIn(context, token);
    if (typeof caller === "string") return sendError(reply, inWordsFor(request, area.failure[caller]));
    if (adminOnly && !caller.isAdmin) return sendError(reply, area.notAdmin);
    request.caller = caller;
    // Addresses contain tokens, and so do some replies.
    reply.header("cache-control", "no-store");
    return undefined;
  };
}

/** Returns the token from REANA's query parameter or from a bearer header. An empty token counts as none. */
export function tokenOf(request: FastifyRequest): string | undefined {
  const given = (request.query as Record<string, string | string[] | undefined>)["access_token"];
  const inQuery = Array.isArray(given) ? given[0] : given;
  if (inQuery) return inQuery;
  const header = request.raw.headers.authorization;
  return header === undefined ? undefined : /^bearer +(\S+) *$/i.exec(header)?.[1];
}
