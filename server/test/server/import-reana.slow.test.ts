import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startApp } from "#app/start";
import { readConfig } from "#config/read";
import { type CrashPoint, IMPORT_CRASH_POINTS } from "#plumbing/crash-points";
import { makeDatabase } from "#store/dialects/postgres-databases-suite";
import { needsPostgres } from "#store/dialects/postgres-server-suite";
import { command } from "../support/command.ts";
import { client, temporaryFolder } from "../support/real-server.ts";
import { addWorkflow, asking, id, makeReana, REANA_KEY, WORKFLOWS } from "./reana-fixture.ts";

/** Tests `reprise import-reana` from a database of REANA, and a server with the imported runs. */
let folder: string;
let remove: () => Promise<void>;
let reana: string;
const place = (name: string) => path.join(folder, name);

beforeEach(needsPostgres);
beforeEach(async () => {
  ({ folder, remove } = await temporaryFolder());
  reana = await makeDatabase("template1");
  await mkdir(place("volume"));
  await makeReana(reana, place("volume"));
});
afterEach(() => remove());

type Variables = Readonly<Record<string, string>>;

async function run(words: readonly string[], environment: Variables = {}) {
  const all = ["import-reana", reana, "--volume", place("volume"), "--data", place("data"), ...words];
  const started = command(all, { environment: { REANA_SECRET_KEY: REANA_KEY, ...environment } });
  return { code: await started.ended, out: started.stdout(), error: started.stderr() };
}

async function served<Result>(
  environment: Variables,
  work: (api: (token: string) => ReturnType<typeof client>) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(environment, {
    dataFolder: place("data"),
    port: "0",
    sampleRun: false,
    logTo: "file",
  });
  const app = await startApp(config, "1.2.3");
  try {
    return await work((token) => client(app.url, token));
  } finally {
    await app.close();
  }
}

function namesAndStatuses(list: Record<string, unknown>): unknown[] {
  const runs = list["items"] as readonly { readonly name: string; readonly status: string }[];
  return runs.map(({ name, status }) => [name, status]);
}

const DATABASES = ["SQLite", "PostgreSQL"];
const databaseOf = async (name: string): Promise<Variables> =>
  name === "SQLite" ? {} : { REPRISE_DATABASE: await makeDatabase("template1") };

test.each(DATABASES)("%s: users, tokens, runs, logs, files and shares are taken over", async (database) => {
  const environment = await databaseOf(database);
  const imported = await run([], environment);
  expect(imported.error).toBe("");
  expect(imported.out).toMatch(/^Imported 2 users, 2 tokens, 5 runs\.\nLogs of 3 jobs, and 3 files/);
  expect(imported.out).toContain(
    "a run in its workspace has not ended yet; import again when it has: live.1 of ada@",
  );
  await served(environment, async (api) => {
    const ada = api("token-of-ada");
    const { body: list } = await ada.call("GET", "workflows", undefined, "&size=9");
    expect(namesAndStatuses(list)).toEqual([
      ["fit.2", "stopped"],
      ["fit.1.1", "failed"],
      ["fit.1", "finished"],
    ]);
    const { body: status } = await ada.call("GET", "workflows/fit.1/status");
    expect(status).toMatchObject({
      id: id(101),
      created: "2025-03-01T11:01:41",
      progress: { run_started_at: "2025-03-01T12:01:00", run_finished_at: "2025-03-01T12:05:00" },
    });
    const { body: logs } = await ada.call("GET", "workflows/fit.1.1/logs");
    const parsed = JSON.parse(String(logs["logs"])) as {
      workflow_logs: string;
      job_logs: Record<string, { logs: string }>;
    };
    expect(parsed.workflow_logs).toBe("engine of 102\n");
    expect(parsed.job_logs[id(102_000)]).toMatchObject({
      status: "failed",
      logs: "no such file\n",
      cmd: "cat in.txt",
    });
    const { body: files } = await ada.call("GET", "workflows/fit.1/workspace");
    expect(files).toMatchObject({ items: [{ name: "in.txt" }] });
    const { body: you } = await ada.call("GET", "you");
    expect(you).toMatchObject({ quota: { cpu: { limit: { raw: 3_600_000 } } } });
    const bob = api("token-of-bob");
    expect((await bob.call("GET", `workflows/${id(101)}/status`)).status).toBe(200);
    expect((await bob.call("GET", `workflows/${id(103)}/status`)).status).toBe(403);
    expect((await api("token-of-ada-before").call("GET", "you")).status).toBe(403);
  });
});

test("a second import takes only what has ended or come since", async () => {
  await run([]);
  await asking(reana, async (reanas) => {
    await reanas.query("update workflow set status = 'finished', run_finished_at = now() where id_ = $1", [
      id(104),
    ]);
    await reanas.query("update workflow set status = 'failed', run_finished_at = now() where id_ = $1", [
      id(105),
    ]);
    await reanas.query("update workflow set status = 'deleted' where id_ = $1", [id(103)]);
    const added = { number: 107, owner: id(1), name: "new", status: "finished" };
    await addWorkflow(reanas, place("volume"), added);
  });
  const again = await run([]);
  expect(again.out).toMatch(
    /^Imported 0 users \(2 were here already\), 0 tokens \(2 were .*\), 3 runs \(3 were/,
  );
  expect(again.out).toContain("it is deleted in REANA and stopped here: fit.2 of ada@example.org");
  const third = await run([]);
  expect(third.out).toMatch(/ 0 runs \(6 were here already\)\.$/m);
});

test("secrets of Kubernetes are taken once, and the projects of GitLab are named", async () => {
  const store = (number: number, names: readonly string[]) => ({
    metadata: {
      name: `reana-secretsstore-${id(number)}`,
      annotations: { secrets_types: JSON.stringify(Object.fromEntries(names.map((name) => [name, "env"]))) },
    },
    data: Object.fromEntries(names.map((name) => [name, Buffer.from("hidden").toString("base64")])),
  });
  const items = [store(1, ["CERN_USER", "with space"]), store(9, ["LEFT"])];
  await writeFile(place("secrets.json"), JSON.stringify({ kind: "List", items }));
  await asking(reana, (reanas) =>
    reanas.query("update workflow set git_repo = 'group/fit', git_provider = 'gitlab' where id_ = $1", [
      id(101),
    ]),
  );
  const secrets = ["--secrets", place("secrets.json")];
  expect((await run([...secrets, "--dry-run"])).out).toContain("2 tokens, 2 secrets, 5 runs.");
  const imported = await run(secrets);
  expect(imported.out).toContain("2 tokens, 1 secret, 5 runs.");
  expect(imported.out).toMatch(
    /cannot be an environment variable.*: the secret with space of ada@example\.org/,
  );
  expect(imported.out).toContain(`the user of the secret is not in the table of users: LEFT of ${id(9)}`);
  expect(imported.out).toContain("Connect these projects again: group/fit of ada@example.org.");
  expect(imported.out).not.toContain("hidden");
  expect((await run(secrets)).out).toContain("0 secrets (1 was here already)");
  await served({}, async (api) => {
    const { body } = await api("token-of-ada").call("GET", "secrets");
    expect(body).toEqual([{ name: "CERN_USER", type: "env" }]);
  });
});

test("--since reads what has changed, and the runs that an earlier import left out of the same workspace", async () => {
  await asking(reana, async (reanas) => {
    const added = { number: 108, owner: id(1), name: "busy", status: "running", workspaceOf: 103 };
    await addWorkflow(reanas, place("volume"), added);
  });
  expect((await run([])).out).toMatch(/, 4 runs\.$/m);
  await asking(reana, async (reanas) => {
    await reanas.query("update workflow set updated = created");
    await reanas.query(
      "update workflow set status = 'finished', updated = now() at time zone 'utc' where id_ = $1",
      [id(108)],
    );
  });
  const since = new Date(Date.now() - 3_600_000).toISOString().slice(0, 19);
  const again = await run(["--since", `${since}Z`]);
  expect(again.error).toBe("");
  expect(again.out).toContain(`Read 2 workflows that changed since ${since}Z`);
  expect(again.out).toMatch(/, 2 runs\.$/m);
  const unreadable = await run(["--since", "yesterday"]);
  expect([unreadable.code, unreadable.error]).toEqual([
    2,
    expect.stringContaining("The time yesterday cannot be read. Write a day in UTC") as string,
  ]);
});

test.each(DATABASES)(
  "%s: an import killed anywhere loses no row and takes no row twice",
  async (database) => {
    const environment = await databaseOf(database);
    for (const point of Object.keys(IMPORT_CRASH_POINTS) as CrashPoint[])
      for (const time of ["1", "2"]) {
        const killed = await run([], { ...environment, CRASH_AT: `${point}:${time}` });
        // A point is passed less often by an import that finds most of its work done.
        expect(["SIGKILL", 0], `${point}:${time} ${killed.error}`).toContain(killed.code);
      }
    expect((await run([], environment)).code).toBe(0);
    await served(environment, async (api) => {
      const { body } = await api("token-of-ada").call("GET", "workflows", undefined, "&size=9");
      expect(body).toMatchObject({ total: 3 });
      const { body: logs } = await api("token-of-ada").call("GET", "workflows/fit.1/logs");
      expect(logs["logs"]).toContain("job one");
      const { body: files } = await api("token-of-ada").call("GET", "workflows/fit.2/workspace");
      expect(files).toMatchObject({ items: [{ name: "in.txt" }] });
    });
  },
);

test("a rehearsal counts what is missing and changes nothing, and an import takes the rest", async () => {
  const [draft] = WORKFLOWS.filter(({ name }) => name === "draft");
  const workspace = path.join("users", draft!.owner, "workflows", id(draft!.number));
  await rm(path.join(place("volume"), workspace), { recursive: true });
  const rehearsed = await run(["--dry-run", "--json"], { REANA_SECRET_KEY: "wrong" });
  expect(JSON.parse(rehearsed.out)).toMatchObject({
    revision: "06dbbeef6d9b",
    users: { taken: 2 },
    tokens: { taken: 0 },
    runs: { taken: WORKFLOWS.length - 1 },
    leftOut: [
      { reason: expect.stringContaining("another key"), count: 2 },
      { reason: expect.stringContaining("has not ended yet"), count: 1 },
      {
        reason: "its folder is not on the volume",
        count: 1,
        examples: ["the files of draft.1 of bob@example.org"],
      },
    ],
  });
  expect((await run([])).out).toMatch(/^Imported 2 users, 2 tokens, 5 runs\./);
});

test.each([
  ["another database", "drop schema __reana cascade", "it is not a database of REANA 0.9 or later"],
  [
    "a half migrated one",
    "alter table workflow drop column run_number_major",
    "lacks workflow.run_number_major",
  ],
])("%s is refused before anything is written", async (_which, change, sentence) => {
  await asking(reana, (reanas) => reanas.query(change));
  const refused = await run([]);
  expect(refused.code).toBe(1);
  expect(refused.error).toContain(sentence);
});
