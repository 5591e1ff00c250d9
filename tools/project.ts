import path from "node:path";

export const ROOT = path.join(import.meta.dirname, "..");

/** What is linted and formatted. Named one by one: without that, oxlint reads `node_modules` as well. */
export const CODE = [
  "server/src",
  "server/test",
  "server/bin",
  "sdk",
  "tools",
  "bench",
  "vitest.config.ts",
  "tsconfig.json",
];

/** The command of an installed tool, for this Node. */
export function toolPath(name: string): string {
  return path.join(ROOT, "node_modules", ".bin", name);
}
