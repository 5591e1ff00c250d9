import type { FastifyReply, FastifyRequest } from "fastify";
import { sendError } from "#api/http/reply/error-replies";

/**
 * The cookie of a signed-in browser, which is one half of a session. Scripts cannot read it. Browsers do not separate
 * cookies by port, so servers on all ports of the host receive it: it opens nothing without the page key
 * (`page-proof.ts`). Its name has the port, so that two servers on one machine do not sign each other's users out.
 */
const NAME = "reprise-session";
/** The API is the only part that reads it. */
const PATH = "/api";

function cookieName({ raw }: Pick<FastifyRequest, "raw">): string {
  const port = /:(\d+)$/.exec(raw.headers.host ?? "")?.[1];
  return port === undefined ? NAME : `${NAME}-${port}`;
}

/** Returns the secret of the request's session cookie. */
export function sessionOf(request: Pick<FastifyRequest, "raw">): string | undefined {
  const name = cookieName(request);
  const pairs = (request.raw.headers.cookie ?? "").split(/; */).map((pair) => pair.split("="));
  const value = pairs.find(([key]) => key === name)?.[1];
  return value === undefined || value === "" ? undefined : value;
}

export function setSession(
  request: FastifyRequest,
  reply: FastifyReply,
  secret: string,
  lifeMs: number,
): void {
  reply.header("set-cookie", cookie(request, secret, Math.floor(lifeMs / 1000)));
}

export function clearSession(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("set-cookie", cookie(request, "", 0));
}

function cookie(request: FastifyRequest, value: string, maxAgeSeconds: number): string {
  // Behind a proxy that ends TLS. A client that lies in this header restricts only its own cookie.
  const isSecure = request.protocol === "https" || request.raw.headers["x-forwarded-proto"] === "https";
  const parts = [`${cookieName(request)}=${value}`, `Path=${PATH}`, `Max-Age=${maxAgeSeconds}`];
  return [...parts, "HttpOnly", "SameSite=Strict", ...(isSecure ? ["Secure"] : [])].join("; ");
}

/**
 * Returns whether the server's own page sent the request. Browsers say so themselves (`Sec-Fetch-Site`); over plain
 * HTTP from another machine they send only the origin. A page on another port of this machine is the same site to a
 * cookie, but another origin.
 */
export function isFromOwnPage({ raw, method }: Pick<FastifyRequest, "raw" | "method">): boolean {
  const { "sec-fetch-site": site, origin, host } = raw.headers;
  const changes = method !== "GET" && method !== "HEAD";
  if (site !== undefined) return site === "same-origin" || (site === "none" && !changes);
  if (origin !== undefined) return URL.parse(origin)?.host === host;
  return !changes;
}

/** Refuses a change that another page sent with the user's cookie. */
export function refuseForeignPage(reply: FastifyReply): FastifyReply {
  const message =
    "This request did not come from this server's own page, so the browser's session was ignored. " +
    "Programs send an access token instead.";
  return sendError(reply, { status: 403, message, code: "foreign-page" });
}
