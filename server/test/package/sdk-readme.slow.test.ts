import { execFile } from "node:child_process";
import { readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ADMIN_TOKEN, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

const ROOT = path.join(import.meta.dirname, "..", "..", "..");

let folder: string;
let remove: () => Promise<void>;
let server: RealServer;

beforeAll(async () => {
  ({ folder, remove } = await temporaryFolder());
  server = await startRealServer(path.join(folder, "data"));
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
});

afterAll(async () => {
  await server.stop();
  await remove();
});

const readme = await readFile(path.join(ROOT, "sdk", "README.md"), "utf8");
const examples = [...readme.matchAll(/^## (.*?)$[^]*?^```ts\n([^]*?)^```$/gm)].map(
  ([, title, code]) => [title!, code!] as const,
);

/** The output of each example. */
const PRINTED: Readonly<Record<string, string>> = {
  "Connect, create, start, wait": "greeting.1 finished\n",
  "Watch a run": 'failed Step "fail" failed: its command exited with code 3.\n',
  "Errors are thrown": "404 run-not-found There is no workflow nothing.99.\n",
  Files: "content of a.txt\n",
};

test("each example has an expected output in the test", () => {
  expect(examples.map(([title]) => title)).toEqual(Object.keys(PRINTED));
});

test.each(examples)("%s", async (title, code) => {
  const file = path.join(folder, `${title.replaceAll(/\W/g, "-")}.ts`);
  await writeFile(file, code);
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    cwd: folder,
    env: { ...process.env, REPRISE_SERVER: server.url, REPRISE_TOKEN: ADMIN_TOKEN },
  });
  expect(stdout).toBe(PRINTED[title]);
});
