import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { chosenFrom, WATCHED } from "./chosen-files.ts";
import { chosenParts, PARTS } from "./chosen-parts.ts";
import { ROOT } from "./project.ts";

const FILES = ["page/a", "page/b", "crash/a", "crash/b"].map((name) => `server/test/${name}.slow.test.ts`);

test("files that watch a changed path are chosen, and a third of the others", () => {
  const { concerned, others } = chosenFrom(FILES, ["ui/src/pages/home.tsx"]);
  expect(concerned).toEqual(FILES.slice(0, 2));
  expect(others).toHaveLength(1);
});

test("a change of the folder of a test concerns all tests of the folder", () => {
  expect(chosenFrom(FILES, ["server/test/crash/witness.ts"]).concerned).toEqual(FILES.slice(2));
});

test("a change of an engine chooses the part of the language, and two of the other five", () => {
  const parts = chosenParts(["server/src/engines/yadage/rules.ts"]);
  expect(parts).toContain("yadage");
  expect(parts).toHaveLength(3);
});

test("a change of the API chooses every part that makes requests", () => {
  expect(chosenParts(["server/src/api/routes.ts"])).toEqual(
    expect.arrayContaining(["generated-client", "fuzz", "reana-client"]),
  );
});

test("every watched path exists", () => {
  const paths = [Object.entries(WATCHED).flat(2), Object.values(PARTS).flat()].flat();
  expect(paths.filter((one) => !existsSync(path.join(ROOT, one)))).toEqual([]);
});
