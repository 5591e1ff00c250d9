import { writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { fakeCli } from "#cli/fake-cli";
import type { CliContext } from "#cli/context";
import { runCli } from "#cli/program";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { systemClock } from "#plumbing/clock";
import { type ApiFixture, apiFixture } from "../../support/api-fixture.ts";

let api: ApiFixture;

beforeEach(async () => {
  api = await apiFixture();
});

afterEach(() => api.close());

const T = () => `access_token=${api.adminToken}`;

const ask = async (method: "GET" | "POST" | "PUT" | "DELETE", route: string, payload?: object) => {
  const url = `/api/${route}${route.includes("?") ? "&" : "?"}${T()}`;
  const reply = await api.inject({ method, url, ...(payload && { payload }) });
  expect([reply.statusCode < 300, reply.body]).toEqual([true, reply.body]);
  return reply.json<Record<string, unknown>>();
};

async function start(...commands: readonly string[]): Promise<string> {
  const document = {
    workflow: { type: "serial", specification: { steps: [{ environment: "any", commands }] } },
  };
  const { workflow_id: id } = await ask("POST", "workflows", document);
  await ask("PUT", `workflows/${String(id)}/status?status=start`);
  return String(id);
}

const status = async (run: string) => {
  const { status: word, waiting_for: waitingFor } = await ask("GET", `workflows/${run}/status`);
  return { status: word, waitingFor };
};
const state = (draining: string, runs_active: number, runs_queued: number) => ({
  draining,
  runs_active,
  runs_queued,
});

describe("a drained server", () => {
  test("completes active runs, queues new ones, and says why", async () => {
    const first = await start("one", "two");
    const job = await api.backend.startedJob(0);
    expect(await ask("GET", "admin/drain")).toEqual(state("no", 1, 0));
    expect(await ask("POST", "admin/drain", {})).toEqual(state("finishing", 1, 0));
    const second = await start("three");
    expect(await ask("GET", "admin/drain")).toEqual(state("finishing", 1, 1));
    expect(await status(second)).toEqual({
      status: "queued",
      waitingFor: "The server is being upgraded. Queued runs start afterwards.",
    });
    api.backend.end(job);
    api.backend.end(await api.backend.startedJob(1));
    await expect.poll(async () => (await status(first)).status).toBe("finished");
    await expect.poll(() => ask("GET", "admin/drain")).toEqual(state("finishing", 0, 1));
    expect((await status(second)).status).toBe("queued");
    expect(await ask("DELETE", "admin/drain")).toMatchObject({ draining: "no" });
    api.backend.end(await api.backend.startedJob(2));
    await expect.poll(async () => (await status(second)).status).toBe("finished");
    expect(api.backend.scripts).toEqual(["one", "two", "three"]);
  });

  test("hands over all runs on request; jobs continue, and no job runs twice", async () => {
    const run = await start("one", "two");
    const job = await api.backend.startedJob(0);
    await expect.poll(() => status(run)).toMatchObject({ status: "running" });
    expect(await ask("POST", "admin/drain", { now: true })).toEqual(state("handed-over", 0, 0));
    api.backend.end(job);
    expect(await status(run)).toEqual({
      status: "running",
      waitingFor: "The server is being upgraded. Running jobs continue, and the next ones start afterwards.",
    });
    expect(api.backend.scripts).toEqual(["one"]);
    await ask("DELETE", "admin/drain");
    api.backend.end(await api.backend.startedJob(1));
    await expect.poll(async () => (await status(run)).status).toBe("finished");
    expect(api.backend.scripts).toEqual(["one", "two"]);
  });

  test("still stops runs, even released runs", async () => {
    const run = await start("one");
    await api.backend.startedJob(0);
    await ask("POST", "admin/drain", { now: true });
    const queued = await start("two");
    for (const one of [run, queued]) {
      expect(await ask("PUT", `workflows/${one}/status?status=stop`)).toMatchObject({ status: "stopped" });
    }
    expect(api.backend.scripts).toEqual(["one"]);
  });
});

describe("reprise drain", () => {
  let folder: string;

  folderForEach((made) => void (folder = made));

  beforeEach(async () => {
    const paths = dataFolderPaths(folder);
    await writeFile(paths.server, JSON.stringify({ url: await api.listen(), pid: process.pid }));
    await writeFile(paths.adminToken, api.adminToken);
  });

  async function reprise(words: readonly string[], parts: Partial<CliContext> = {}) {
    const cli = fakeCli({
      dataFolder: () => folder,
      isFolderInUse: async () => true,
      clock: systemClock,
      ...parts,
    });
    const code = await runCli(["drain", ...words], cli);
    return { code, printed: cli.printed, errors: cli.errors };
  }

  test("waits until nothing is under way", async () => {
    await start("one");
    const job = await api.backend.startedJob(0);
    await expect.poll(() => ask("GET", "admin/drain")).toEqual(state("no", 1, 0));
    const waiting = reprise(["--wait"]);
    await expect.poll(() => ask("GET", "admin/drain")).toEqual(state("finishing", 1, 0));
    await start("two");
    api.backend.end(job);
    expect(await waiting).toEqual({
      code: 0,
      errors: [],
      printed: [
        "No more runs are started. One run is still running; 0 queued runs wait for the next start, or for: reprise drain --end",
        "No active runs are left; 1 queued run waits for the next start. Stop the server, upgrade it, and start it.",
      ],
    });
    expect((await reprise(["--end"])).printed).toEqual(["The server starts queued runs again."]);
    await api.backend.startedJob(1);
    expect((await reprise(["--now", "--json"])).printed).toEqual([
      JSON.stringify(state("handed-over", 0, 0)),
    ]);
  });

  test("needs a server, and words that go together", async () => {
    expect(await reprise([], { isFolderInUse: async () => false })).toEqual({
      code: 1,
      printed: [],
      errors: [
        `No server is running on the data folder ${folder}, so there is nothing to drain. ` +
          "Name another server with --server, or REPRISE_SERVER in the environment.",
      ],
    });
    expect(await reprise(["--end", "--wait"])).toMatchObject({ code: 2, printed: [] });
  });
});
