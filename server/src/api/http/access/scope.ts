import type { Route } from "#api/http/endpoint";
import { scopeCovers, type TokenScope } from "#workflow/people/token-scope";

/** Paths below which changes concern runs and files, and not the account of the caller. */
const OF_RUNS = /^\/api\/(workflows|launch)(\/|$)/;

/** The token scope for reaching a notebook, because a notebook runs its user's code on the files of a run. */
export const NOTEBOOK_SCOPE: TokenScope = "runs";

/** Returns whether a token of this scope may learn the secret of a notebook. Undefined means no token. */
export function opensNotebooks(held: TokenScope | undefined): boolean {
  return held !== undefined && scopeCovers(held, NOTEBOOK_SCOPE);
}

/** Returns the scope that a token needs for an endpoint. Without a rule, an endpoint needs the scope `everything`. */
export function scopeOf({ scope, access, showsTokens, method, path }: Route): TokenScope {
  if (scope !== undefined) return scope;
  if (access === "admin" || showsTokens) return "everything";
  if (method === "GET") return "read";
  return OF_RUNS.test(path) ? "runs" : "everything";
}

/**
 * Returns whether the session of REANA's web page may open the endpoint. A leaked cookie thus issues no token
 * and administers nothing.
 */
export function opensWithCookieAlone(route: Route): boolean {
  return route.isOfReanaPage === true || scopeOf(route) !== "everything";
}

/** Reply to a request for an endpoint that REANA's web page does not use. */
export const NOT_WITH_COOKIE_ALONE = {
  status: 403,
  message:
    "The session of REANA's web page does not open this. Use the page of this server, or an access token.",
  code: "token-scope",
} as const;

/** Reply to a request with a token that does not open the endpoint. */
export function outOfScope(held: TokenScope, needed: TokenScope) {
  const allows = scopeCovers(held, "runs") ? "manages runs and files, and not the account" : "only reads";
  return {
    status: 403,
    message: `This token ${allows}. Use a token with the scope \`${needed}\`.`,
    code: "token-scope",
  } as const;
}
