import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { changeStatus, createRun, refusalRows, serial, T, untilStatus } from "../../support/run-rows.ts";
import { duOf, workspaceClient } from "../../support/workspace-client.ts";

/** Parts of a run for a page, besides its records: graph, actions, usage. */
const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();
const { db } = api.operations;
const { folderOf } = workspaceClient(api, ada);

const steps = [
  { name: "make", environment: "any", commands: ["one", "two"] },
  { name: "show", environment: "any", commands: ["three"] },
];
const specification = { inputs: {}, workflow: { type: "serial", specification: { steps } } };

const created = await createRun(api, ada, "created", specification);
/** A run with a finished first job and a running second job. */
const running = await createRun(api, ada, "running", specification);
await changeStatus(api, ada, running.id, "start");
const firstId = await api.backend.startedJob(0);
api.backend.end(firstId, { usage: { cpuMs: 700 } });
const secondId = await api.backend.startedJob(1);
const snakemake = await createRun(api, ada, "snakemake", {
  workflow: { type: "snakemake", specification: {} },
});

const NO_JOBS = { created: 0, running: 0, finished: 0, failed: 0, stopped: 0, taken_over: 0, retried: 0 };
/** Counts the jobs of the node, all of which are listed. */
const node = (id: string, name: string, status: string, ...jobs: { readonly status: string }[]) => {
  const counts: Record<string, number> = { ...NO_JOBS };
  for (const one of jobs) counts[one.status]! += 1;
  return { id, name, parent: null, status, counts, jobs };
};
const job = (id: string, key: string, status: string) => ({ id, key, attempt: 1, status });
const edges = [{ from: "0", to: "1" }];
const get = async (what: string, run: string) =>
  (await api.inject(`/api/workflows/${run}/${what}?${T(ada)}`)).json<object>();

describe("GET graph", async () => {
  const url = (run: string) => `/api/workflows/${run}/graph?${T(ada)}`;
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", created, (address) => `/api/workflows/${address}/graph`)),
    {
      name: "of a language without an engine",
      url: url(snakemake.id),
      status: 501,
      reply: "Workflow snakemake.1 cannot be drawn: this server cannot run snakemake workflows.",
    },
    {
      name: "of a run that was not started",
      url: url(created.id),
      status: 200,
      reply: { nodes: [node("0", "make", "waiting"), node("1", "show", "waiting")], edges },
    },
    {
      name: "of a run that goes on",
      url: url(running.id),
      status: 200,
      reply: {
        nodes: [
          node("0", "make", "running", job(firstId, "0.0", "finished"), job(secondId, "0.1", "running")),
          node("1", "show", "waiting"),
        ],
        edges,
      },
    },
  ]);

  test.each([
    ["failed", "failed", { exitCode: 1 }],
    ["stopped", "stopped", undefined],
  ] as const)("of a run that has %s", async (status, jobStatus, end) => {
    const run = await createRun(api, ada, status, specification);
    const index = api.backend.started.length;
    await changeStatus(api, ada, run.id, "start");
    const id = await api.backend.startedJob(index);
    await untilStatus(api, ada, run.id, "running");
    if (end) api.backend.end(id, end);
    else await changeStatus(api, ada, run.id, "stop");
    await untilStatus(api, ada, run.id, status);
    const nodes = [node("0", "make", jobStatus, job(id, "0.0", jobStatus)), node("1", "show", "skipped")];
    expect(await get("graph", run.id)).toEqual({ nodes, edges });
    // The second request is answered from the cached graph.
    expect(await get("graph", run.id)).toEqual({ nodes, edges });
  });

  test("of a run that has finished", async () => {
    const run = await createRun(api, ada, "finished", serial(["one"]));
    const index = api.backend.started.length;
    await changeStatus(api, ada, run.id, "start");
    const id = await api.backend.startedJob(index);
    const before = await get("graph", run.id);
    expect(before).toEqual({ nodes: [node("0", "s0", "running", job(id, "0.0", "running"))], edges: [] });
    api.backend.end(id);
    await untilStatus(api, ada, run.id, "finished");
    expect(await get("graph", run.id)).toEqual({
      nodes: [node("0", "s0", "finished", job(id, "0.0", "finished"))],
      edges: [],
    });
  });
});

test("a parameter whose name has a line feed is shown as it was sent", async () => {
  const parameters = { "a\nb": 1, "c\r": "d" };
  const { id } = await createRun(api, ada, "line-feeds", serial(["true"], parameters));
  expect(await get("parameters", id)).toMatchObject({ parameters });
  expect(await get("specification", id)).toMatchObject({ specification: { inputs: { parameters } } });
});

describe("GET actions", async () => {
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", created, (address) => `/api/workflows/${address}/actions`)),
  ]);

  test.each([
    ["created", created.id, ["start", "delete"]],
    ["running", running.id, ["stop"]],
    ["of a language without an engine", snakemake.id, ["delete"]],
  ])("of a %s run: the reasons against the other actions equal the refusals", async (_name, id, possible) => {
    const { actions } = (await get("actions", id)) as {
      actions: { action: string; possible: boolean; reason: string | null }[];
    };
    expect(actions.map(({ action }) => action)).toEqual(["start", "restart", "rerun", "stop", "delete"]);
    expect(actions.filter((one) => one.possible).map(({ action }) => action)).toEqual(possible);
    for (const { action, possible: may, reason } of actions) {
      if (may) expect(reason).toBeNull();
      else expect(reason).toBe(await refusalOf(id, action));
    }
  });

  async function refusalOf(id: string, action: string): Promise<string> {
    const reply = await attempt(id, action);
    expect(reply.statusCode).toBeGreaterThanOrEqual(400);
    return reply.json<{ message: string }>().message;
  }

  function attempt(id: string, action: string) {
    const post = (verb: string, payload: object) =>
      api.inject({ method: "POST", url: `/api/workflows/${id}/${verb}?${T(ada)}`, payload });
    switch (action) {
      case "restart":
        return post("start", { restart: true });
      case "rerun":
        return post("rerun", {});
      case "delete":
        return changeStatus(api, ada, id, "deleted");
      default:
        return changeStatus(api, ada, id, action);
    }
  }

  test("of a run name the other run in the workspace", async () => {
    const run = await createRun(api, ada, "twice", serial(["one"]));
    const index = api.backend.started.length;
    await changeStatus(api, ada, run.id, "start");
    api.backend.end(await api.backend.startedJob(index));
    await untilStatus(api, ada, run.id, "finished");
    const may = async () => {
      const { actions } = (await get("actions", run.id)) as {
        actions: { action: string; reason: string | null }[];
      };
      return actions.find(({ action }) => action === "restart")?.reason;
    };
    expect(await may()).toBeNull();
    const url = `/api/workflows/${run.id}/start?${T(ada)}`;
    await api.inject({ method: "POST", url, payload: { restart: true, fresh: true } });
    // The run is live again, so a restart is refused.
    await api.backend.startedJob(index + 1);
    expect(await may()).toBe(await refusalOf(run.id, "restart"));
  });
});

describe("GET usage", async () => {
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", created, (address) => `/api/workflows/${address}/usage`)),
    {
      name: "of a run that was not started",
      url: `/api/workflows/created/usage?${T(ada)}`,
      status: 200,
      reply: {
        queued_ms: null,
        wall_ms: null,
        cpu_ms: 0,
        jobs: { total: 0, created: 0, running: 0, finished: 0, failed: 0, stopped: 0 },
        memory: [],
        workspace_bytes: 0,
      },
    },
  ]);

  test("counts time, jobs and files", async () => {
    const put = `/api/workflows/running/workspace?file_name=a/b.txt&${T(ada)}`;
    await api.inject({ method: "POST", url: put, payload: "12345" });
    const number = expect.any(Number) as number;
    const jobs = { total: 2, created: 0, running: 1, finished: 1, failed: 0, stopped: 0 };
    expect(await get("usage", running.id)).toEqual({
      queued_ms: number,
      wall_ms: number,
      cpu_ms: 700,
      jobs,
      memory: [{ step: "make", limit_bytes: null, peak_bytes: null, is_whole: false, advice: null }],
      workspace_bytes: duOf(await folderOf(running)),
    });
    await changeStatus(api, ada, running.id, "stop");
    expect(await get("usage", running.id)).toMatchObject({ jobs: { ...jobs, running: 0, stopped: 1 } });
    const [first] = await jobsOfRun(db, running.id);
    expect(first).toMatchObject({ id: firstId, cpuMs: 700 });
    await changeStatus(api, ada, running.id, "deleted");
    expect(await get("usage", running.id)).toMatchObject({ cpu_ms: 700, workspace_bytes: null });
  });

  test("does not count the files of a large workspace in passing", async () => {
    const folder = await folderOf(created);
    mkdirSync(path.join(folder, "folder"), { recursive: true });
    for (let file = 0; file < 999; file += 1) writeFileSync(path.join(folder, `f${file}`), "1");
    expect(await get("usage", created.id)).toMatchObject({ workspace_bytes: duOf(folder) });
    writeFileSync(path.join(folder, "folder", "last"), "1");
    expect(await get("usage", created.id)).toMatchObject({ workspace_bytes: null });
  });
});
