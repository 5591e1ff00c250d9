import type { FastifyReply, FastifyRequest } from "fastify";
import { sendError } from "#api/http/reply/error-replies";
import { isLoopback } from "#plumbing/loopback";

/**
 * The cookie of a signed-in browser, which is one half of a session. Scripts cannot read it. Browsers do not separate
 * cookies by port, so servers on all ports of the host receive it: it opens nothing without the page key
 * (`page-proof.ts`). The port is part of the cookie's name: two servers on one machine do not
 * sign each other's users out.
 */
const NAME = "reprise-session";
/** The API is the only part that reads it. */
const PATH = "/api";

/**
 * The cookie of REANA's web page, which cannot send a page key: it is the whole session. Browsers set and send a cookie
 * with this prefix over TLS only, so a job on another port can neither read nor replace it.
 */
const COOKIE_ALONE = "__Secure-reprise-reana";

type Headers = Pick<FastifyRequest, "raw">;

function withPort(name: string, { raw }: Headers): string {
  const port = /:(\d+)$/.exec(raw.headers.host ?? "")?.[1];
  return port === undefined ? name : `${name}-${port}`;
}

/** Returns the secret of the request's session cookie. */
export function sessionOf(request: Headers): string | undefined {
  return valueOf(withPort(NAME, request), request);
}

/** Returns the secret of the cookie of REANA's web page, if the request came in a way that keeps it from jobs. */
export function cookieSessionOf(request: FastifyRequest): string | undefined {
  return keepsCookiesFromJobs(request) ? valueOf(withPort(COOKIE_ALONE, request), request) : undefined;
}

function valueOf(name: string, { raw }: Headers): string | undefined {
  const pairs = (raw.headers.cookie ?? "").split(/; */).map((pair) => pair.split("="));
  const value = pairs.find(([key]) => key === name)?.[1];
  return value === undefined || value === "" ? undefined : value;
}

export function setSession(
  request: FastifyRequest,
  reply: FastifyReply,
  secret: string,
  lifeMs: number,
): void {
  reply.header("set-cookie", cookie(NAME, request, secret, Math.floor(lifeMs / 1000)));
}

export function clearSession(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("set-cookie", cookie(NAME, request, "", 0));
}

export function setCookieSession(
  request: FastifyRequest,
  reply: FastifyReply,
  secret: string,
  lifeMs: number,
): void {
  reply.header("set-cookie", cookie(COOKIE_ALONE, request, secret, Math.floor(lifeMs / 1000)));
}

export function clearCookieSession(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("set-cookie", cookie(COOKIE_ALONE, request, "", 0));
}

function cookie(name: string, request: FastifyRequest, value: string, maxAgeSeconds: number): string {
  const parts = [`${withPort(name, request)}=${value}`, `Path=${PATH}`, `Max-Age=${maxAgeSeconds}`];
  return [...parts, "HttpOnly", "SameSite=Strict", ...(cameByTls(request) ? ["Secure"] : [])].join("; ");
}

/**
 * Returns whether the browser came by TLS, to this server or to a proxy in front. A client that lies in the header
 * restricts only its own cookie.
 */
export function cameByTls({ protocol, raw }: Pick<FastifyRequest, "protocol" | "raw">): boolean {
  return protocol === "https" || raw.headers["x-forwarded-proto"] === "https";
}

/**
 * Returns whether the browser sends a cookie with `Secure` only to servers that have a certificate of the host's name. A
 * job has none. To this machine's own names browsers send such a cookie over plain HTTP as well.
 */
export function keepsCookiesFromJobs(request: FastifyRequest): boolean {
  const { hostname } = request;
  return cameByTls(request) && !isLoopback(hostname) && !/(^|\.)localhost\.?$/i.test(hostname);
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
