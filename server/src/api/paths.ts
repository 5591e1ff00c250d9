/** The paths of the route table, in the ways in which others write them. */

/** `{name}`, or `{name*}` at the end for the rest of the path. */
const PARAMETER = /\{(\w+)(\*?)\}/g;

/** As Fastify's router has it: the rest of the path is `*` there, by whatever name. */
export function routerPath(path: string): string {
  return path.replaceAll(PARAMETER, (_, name: string, star: string) => (star ? "*" : `:${name}`));
}

/** With a name for the rest of the path too: what the document shows. */
export function documentPath(path: string): string {
  return path.replaceAll(PARAMETER, ":$1");
}

/** The name of the rest of the path, when the path ends in one. */
export function restName(path: string): string | undefined {
  return /\{(\w+)\*\}$/.exec(path)?.[1];
}

/** Matches the addresses of a path, whatever the method; undecoded and without query. */
export function pathPattern(path: string): RegExp {
  const source = path
    .split(PARAMETER)
    // The text between parameters, then for each of them its name and its star.
    .map((piece, index) => [piece.replaceAll(".", "\\."), "", piece === "*" ? ".+" : "[^/]+"][index % 3]!)
    .join("");
  return new RegExp(`^${source}/?$`);
}
