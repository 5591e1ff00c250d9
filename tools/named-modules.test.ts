import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findNamed, namedBy } from "./named-modules.ts";
import { ROOT } from "./project.ts";

const SOURCES = path.join(ROOT, "server", "src");

describe("the modules that a source names by a text", () => {
  test.each([
    'new Worker(ownModule("#a/thread"), { workerData: 1 })',
    'fork(ownModule("#a/thread"))',
    'const file = fileURLToPath(ownModule("#a/thread"));',
    'workerRuntime({ module: ownModule("#a/thread") })',
  ])("are found: %s", (code) => {
    expect(namedBy("a/b.ts", code)).toEqual({ modules: ["a/thread"], programs: [], files: [], problems: [] });
  });

  test.each([
    'import("#a/b"); import("node:fs");',
    "new Worker(code, { eval: true });",
    'createRequire(import.meta.url).resolve("jq-web");',
    "class Worker {}",
  ])("are none: %s", (code) => {
    expect(namedBy("a/b.ts", code)).toEqual({ modules: [], programs: [], files: [], problems: [] });
  });

  test("files without a module are found with line numbers", () => {
    const code = 'new URL("./slot.sh", import.meta.url); new URL("../page", import.meta.url)';
    expect(namedBy("a/b.ts", code)).toEqual({
      modules: [],
      programs: [],
      files: ["a/slot.sh"],
      problems: [],
    });
  });

  test.each([
    ["new Worker(THREAD_FILE)", "starts a module"],
    ['new Worker(new URL("./thread.js", import.meta.url))', "starts a module"],
    ["fork(file)", "starts a module"],
    ["childProcess.fork(file)", "starts a module"],
    ["import(address!)", "imports a module by a variable"],
    ["import(`#a/${name}`)", "imports a module by a variable"],
    ["ownModule(`#engines/${name}`)", "calls ownModule"],
    ['import.meta.url.replace("one", "other")', "makes an address"],
    ["new URL(`../engines/${module}.${ENDING}`, import.meta.url)", "makes an address"],
    ['new URL("./thread.ts", import.meta.url)', "makes an address"],
    ["path.join(import.meta.dirname, name)", "makes an address"],
    ['import.meta.resolve("#a/b")', "makes an address"],
  ])("are refused, with the line, if the scan cannot follow them: %s", (code, what) => {
    const { problems } = namedBy("a/b.ts", `\n${code};`);
    expect(problems[0]).toMatch(new RegExp(`^a/b\\.ts:2 ${what}`));
  });
});

test("each named module and file of the server exists, and none is named in another way", () => {
  const { modules, files, problems } = findNamed(SOURCES);
  expect(problems).toEqual([]);
  expect(modules).toEqual(
    expect.arrayContaining([
      "engines/cwl/cwl-module",
      "engines/yadage/yadage-module",
      "workspace/threads/file-thread",
    ]),
  );
  const missing = [...modules.map((name) => `${name}.ts`), ...files];
  expect(missing.filter((file) => !existsSync(path.join(SOURCES, file)))).toEqual([]);
});
