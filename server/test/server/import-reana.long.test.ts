import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startApp } from "#app/start";
import { readConfig } from "#config/read";
import { makeDatabase } from "#store/dialects/postgres-databases-suite";
import { needsPostgres } from "#store/dialects/postgres-server-suite";
import { command } from "../support/command.ts";
import { conformanceEnvironment } from "../support/conformance-environment.ts";
import { client, temporaryFolder } from "../support/real-server.ts";
import { addRuns, makeReana, REANA_KEY } from "./reana-fixture.ts";

/** Tests the import from databases that REANA's own package makes and fills, and from a large one. */
const FILL = path.join(import.meta.dirname, "..", "..", "..", "conformance", "reana-db", "fill.py");
const run = promisify(execFile);
let folder: string;
let remove: () => Promise<void>;
let reana: string;

beforeEach(needsPostgres);
beforeEach(async () => {
  ({ folder, remove } = await temporaryFolder());
  reana = await makeDatabase("template1");
});
afterEach(() => remove());

/** Runs programs of a version of reana-db on the database. */
async function reanaDb(
  version: string,
  ...calls: readonly (readonly [string, ...string[]])[]
): Promise<void> {
  const programs = path.join(await conformanceEnvironment(`reana-db-${version}`), "bin");
  const address = reana.replace(/^postgres(ql)?:/, "postgresql+psycopg2:");
  const own = { REANA_SQLALCHEMY_DATABASE_URI: address, REANA_SECRET_KEY: REANA_KEY };
  const env = { ...process.env, ...own };
  for (const [program, ...args] of calls) await run(path.join(programs, program), args, { env, cwd: folder });
}

const MAKE = [
  ["reana-db", "init"],
  ["reana-db", "alembic", "init"],
] as const;
const fill = () => ["python", FILL, path.join(folder, "volume")] as const;

test.each([
  ["0.9.4", () => reanaDb("0.9.4", ...MAKE, fill()), false],
  ["0.95.0a10", () => reanaDb("0.95.0a10", ...MAKE, fill()), true],
  [
    "0.9.4, brought up to date by 0.95.0a10",
    async () => {
      await reanaDb("0.9.4", ...MAKE, fill());
      await reanaDb("0.95.0a10", ["reana-db", "alembic", "upgrade"]);
    },
    false,
  ],
])("a database of reana-db %s is imported", async (_version, make, hasShares) => {
  await make();
  const data = path.join(folder, "data");
  const args = ["import-reana", reana, "--volume", path.join(folder, "volume"), "--data", data];
  const imported = command(args, { environment: { REANA_SECRET_KEY: REANA_KEY } });
  expect([await imported.ended, imported.stderr()]).toEqual([0, ""]);
  expect(imported.stdout()).toMatch(/^Imported 2 users, 2 tokens, 5 runs\.\nLogs of 3 jobs, and 3 files/);
  const settings = { dataFolder: data, port: "0", sampleRun: false, logTo: "file" };
  const app = await startApp(readConfig({}, settings), "1.2.3");
  const ada = client(app.url, "token-of-ada@example.org");
  const { body: list } = await ada.call("GET", "workflows", undefined, "&size=9");
  const statuses = (list["items"] as { name: string; status: string }[]).map((one) => [one.name, one.status]);
  expect(statuses).toEqual([
    ["fit.2", "stopped"],
    ["fit.1.1", "failed"],
    ["fit.1", "finished"],
  ]);
  const { body: logs } = await ada.call("GET", "workflows/fit.1/logs");
  expect(String(logs["logs"])).toContain("log of fit");
  const bob = client(app.url, "token-of-bob@example.org");
  const { body: shared } = await bob.call("GET", "workflows", undefined, "&shared=true&size=9");
  expect((shared["items"] as object[]).length).toBe(hasShares ? 2 : 1);
  await app.close();
});

const MAX_MB = 300;

test("100,000 runs are imported in ten minutes", async () => {
  await makeReana(reana, path.join(folder, "volume"));
  await addRuns(reana, 100_000);
  const startedMs = performance.now();
  const imported = command(["import-reana", reana, "--data", path.join(folder, "data")]);
  let peak = 0;
  const look = async () => {
    const status = await readFile(`/proc/${imported.pid}/status`, "utf8").catch(() => "");
    peak = Math.max(peak, Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0));
  };
  const timer = setInterval(() => void look(), 300);
  expect(await imported.ended).toBe(0);
  clearInterval(timer);
  expect(imported.stdout()).toContain("100005 runs");
  expect(peak / 1000).toBeLessThan(MAX_MB);
  expect((performance.now() - startedMs) / 60_000).toBeLessThan(10);
});
