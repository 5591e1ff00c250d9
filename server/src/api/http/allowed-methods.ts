import { pathPattern } from "#api/http/paths";
import type { Route } from "#api/http/endpoint";
import { printable } from "#plumbing/text/printable";

const MAX_SHOWN_LENGTH = 200;

/** Reply to a request without a route. */
interface NoRoute {
  readonly status: 404 | 405;
  readonly message: string;
  /** Value of the `Allow` header of a 405. */
  readonly allow?: string;
}

export interface AllowedMethods {
  /** Returns a 404 if the address is unknown, a 405 if the method is. `target` is undecoded and may have a query. */
  noRoute(method: string, target: string): NoRoute;
  /** Refuses a method that is not allowed at any address. */
  neverAllowed(message: string): NoRoute;
}

export function allowedMethods(routes: readonly Route[]): AllowedMethods {
  const patterns = [...Map.groupBy(routes, (route) => route.path)].map(([path, endpoints]) => ({
    pattern: pathPattern(path),
    methods: endpoints.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])),
  }));
  const all = [...new Set(patterns.flatMap(({ methods }) => methods))].join(", ");
  return {
    noRoute(method, target) {
      const path = target.split("?", 1)[0]!;
      const shown = printable(path, MAX_SHOWN_LENGTH);
      const known = patterns.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
      if (known.length === 0) {
        const message = `There is no ${method} ${shown} here. GET /api/openapi.json lists all endpoints.`;
        return { status: 404, message };
      }
      const allow = [...new Set(known)].join(", ");
      return { status: 405, message: `${shown} does not accept ${method}, only ${allow}.`, allow };
    },
    neverAllowed: (message) => ({ status: 405, message, allow: all }),
  };
}
