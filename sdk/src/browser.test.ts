import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Returns the imports of a file of the core, and the imports of these. */
function importsBelow(file: string, seen = new Set<string>()): Set<string> {
  const code = readFileSync(new URL(file, import.meta.url), "utf8");
  for (const [, target] of code.matchAll(/\bfrom "([^"]+)"/g)) {
    if (seen.has(target!)) continue;
    seen.add(target!);
    if (target!.startsWith(".")) importsBelow(target!, seen);
  }
  return seen;
}

test("the core needs no API of Node", () => {
  const imports = importsBelow("./index.ts");
  expect([...imports].filter((target) => !target.startsWith("."))).toEqual(["openapi-fetch"]);
});

test("code that needs Node is in the part for Node", () => {
  expect([...importsBelow("./node.ts")]).toContain("node:fs/promises");
});
