import path from "node:path";

/**
 * Returns the address of a module of this server that a thread or another process loads. The argument is a plain text:
 * `npm run build` reads it in the source and puts the module into the package (tools/named-modules.ts).
 */
export function ownModule(name: `#${string}`): URL {
  // The extension is `.ts` in development and `.js` when compiled.
  const ending = path.extname(new URL(import.meta.url).pathname);
  return new URL(`../${name.slice(1)}${ending}`, import.meta.url);
}
