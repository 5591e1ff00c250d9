/** Conversions of the paths in the route table to other notations. */

/** Matches `{name}`, or `{name*}` at the end for the rest of the path. */
const PARAMETER = /\{(\w+)(\*?)\}/g;

/** Returns a path for Fastify's router, which calls the rest of the path `*`. */
export function routerPath(path: string): string {
  return path.replaceAll(PARAMETER, (_, name: string, star: string) => (star ? "*" : `:${name}`));
}

/** Returns a path for the document, which names the rest of the path too. */
export function documentPath(path: string): string {
  return path.replaceAll(PARAMETER, ":$1");
}

/** Returns the name of the rest of the path, if the path ends in one. */
export function wildcardName(path: string): string | undefined {
  return /\{(\w+)\*\}$/.exec(path)?.[1];
}

/** Returns a pattern for the addresses of a path, undecoded and without query, for any method. */
export function pathPattern(path: string): RegExp {
  const source = path
    .split(PARAMETER)
    // Text between parameters, then the name and the star of each parameter.
    .map((piece, index) => [piece.replaceAll(".", "\\."), "", piece === "*" ? ".+" : "[^/]+"][index % 3]!)
    .join("");
  return new RegExp(`^${source}/?$`);
}
