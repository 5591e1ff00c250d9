import type { FastifyReply, FastifyRequest } from "fastify";
import { sendError } from "#api/http/reply/error-replies";
import { isLoopback } from "#plumbing/loopback";

/** The API is the only part that reads session cookies. */
const PATH = "/api";

/** A cookie that holds the secret of a session. */
export interface SessionCookie {
  /** The kind of credential carried by the cookie. */
  readonly kind: "session" | "cookie";
  /** Returns the secret of the request's cookie, if the server accepts it. */
  secretIn(request: FastifyRequest): string | undefined;
  /** Sets the cookie. No cache may keep the reply. */
  set(request: FastifyRequest, reply: FastifyReply, secret: string, lifeMs: number): void;
  clear(request: FastifyRequest, reply: FastifyReply): void;
}

/**
 * The cookie of a signed-in browser, which is one half of a session. Scripts cannot read the cookie. Browsers
 * do not separate cookies by port, so servers on all ports of the host receive it. Without the page key
 * (`page-proof.ts`), the cookie gives no access.
 */
export const PAGE_COOKIE = sessionCookie("session", "reprise-session", () => true);

/**
 * The cookie of REANA's web page. The page cannot send a page key, so the cookie is the whole session.
 * Browsers set and send a cookie with this prefix over TLS only, so a job on another port can neither read
 * nor replace the cookie.
 */
export const REANA_PAGE_COOKIE = sessionCookie("cookie", "__Secure-reprise-reana", keepsCookiesFromJobs);

function sessionCookie(
  kind: SessionCookie["kind"],
  name: string,
  isAccepted: (request: FastifyRequest) => boolean,
): SessionCookie {
  const put = (request: FastifyRequest, reply: FastifyReply, value: string, maxAgeSeconds: number) => {
    const parts = [`${withPort(name, request)}=${value}`, `Path=${PATH}`, `Max-Age=${maxAgeSeconds}`];
    const secure = cameByTls(request) ? ["Secure"] : [];
    reply.header("set-cookie", [...parts, "HttpOnly", "SameSite=Strict", ...secure].join("; "));
  };
  return {
    kind,
    secretIn: (request) => (isAccepted(request) ? valueOf(withPort(name, request), request) : undefined),
    set(request, reply, secret, lifeMs) {
      put(request, reply, secret, Math.floor(lifeMs / 1000));
      reply.header("cache-control", "no-store");
    },
    clear: (request, reply) => put(request, reply, "", 0),
  };
}

/** Returns the name with the port of the server: two servers on one machine do not sign each other's users out. */
function withPort(name: string, { raw }: FastifyRequest): string {
  const port = /:(\d+)$/.exec(raw.headers.host ?? "")?.[1];
  return port === undefined ? name : `${name}-${port}`;
}

function valueOf(name: string, { raw }: FastifyRequest): string | undefined {
  const pairs = (raw.headers.cookie ?? "").split(/; */).map((pair) => pair.split("="));
  const value = pairs.find(([key]) => key === name)?.[1];
  return value === undefined || value === "" ? undefined : value;
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
