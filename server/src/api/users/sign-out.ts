import type { FastifyReply, FastifyRequest } from "fastify";
import { credentialOf } from "#api/http/access/credentials";
import type { SessionCookie } from "#api/http/access/session-cookie";
import type { ApiContext } from "#api/http/endpoint";
import { closeSession } from "#operations/users/sessions";

/** Ends the session of a cookie if the request was made with it, and removes the cookie in any case. */
export async function signOut(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  cookie: SessionCookie,
): Promise<void> {
  const secret = cookie.secretIn(request);
  if (secret !== undefined && credentialOf(request)?.kind === cookie.kind) {
    await closeSession(context, secret);
  }
  cookie.clear(request, reply);
}
