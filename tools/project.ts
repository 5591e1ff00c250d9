import path from "node:path";

export const ROOT = path.join(import.meta.dirname, "..");

/** Paths to lint and format. An explicit list, because oxlint would otherwise also read `node_modules`. */
export const CODE = [
  "server/src",
  "server/test",
  "server/bin",
  "sdk",
  "ui/src",
  "ui/vite.config.ts",
  "tools",
  "bench",
  "vitest.config.ts",
  "tsconfig.json",
];

/** Returns the script of an installed tool, to be run with this Node. */
export function toolPath(name: string): string {
  return path.join(ROOT, "node_modules", ".bin", name);
}
