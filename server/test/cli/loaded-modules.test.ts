import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const SOURCE = path.join(import.meta.dirname, "../../src");
/** Matches an import of values from Node's module for http, and not a lazy one. */
const IMPORT = /^import\s+(?!type\b)([^;]*?)\s+from "node:http";/gm;
/** Modules that only a server or a client of a server loads. */
const LOADED_FOR_HTTP = /^(api\/|peers\/|cli\/connection\/pinned-fetch\.ts$)/;

it("`reprise run` does not load Node's module for http, which loads a client for the web beside it", () => {
  const files = globSync("**/*.ts", { cwd: SOURCE }).filter(
    (file) => !/\.test\.ts$|-fixture\.ts$/.test(file),
  );
  const importing = files.filter((file) =>
    [...readFileSync(path.join(SOURCE, file), "utf8").matchAll(IMPORT)].some(([, names]) => hasValue(names!)),
  );
  expect(importing).toContain("cli/connection/pinned-fetch.ts");
  expect(importing.filter((file) => !LOADED_FOR_HTTP.test(file))).toEqual([]);
});

function hasValue(names: string): boolean {
  return names
    .replace(/[{}]/g, "")
    .split(",")
    .some((name) => name.trim() !== "" && !name.trim().startsWith("type "));
}
