import { afterAll, describe, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { changeStatus, createRun, refusalRows, serial, T, untilStatus } from "../../support/run-rows.ts";

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();

/** Two jobs have ended, the second of them badly; a third never began. */
const document = serial(["echo one", "exit 3", "never"]);
Object.assign(document.workflow.specification.steps[0]!, { kubernetes_memory_limit: "256Mi" });
const run = await createRun(api, ada, "w", document);
await changeStatus(api, ada, run.id, "start");
await untilStatus(api, ada, run.id, "running");
const firstId = await api.backend.startedJob(0);
api.backend.end(firstId, { usage: { cpuMs: 1500, peakBytes: 4096, sampled: ["peakBytes"] } });
const secondId = await api.backend.startedJob(1);
const created = await createRun(api, ada, "created");

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string;
const ms = expect.any(Number) as number;
const JOB = {
  attempt: 1,
  image: "any",
  image_digest: null,
  backend: "Fake",
  detail: null,
  decision: null,
  created_at: time,
  started_at: time,
  waiting_for: null,
};
const FIRST = {
  ...JOB,
  id: firstId,
  backend_job_id: firstId,
  key: "0.0",
  step: "s0",
  label: "s0",
  node: "0",
  command: "echo one",
  display_command: "echo one",
  status: "finished",
  reason: "exited",
  exit_code: 0,
  finished_at: "1970-01-01T00:00:02Z",
  started_at: "1970-01-01T00:00:01Z",
  times_ms: { created: ms, started: 1000, finished: 2000 },
  usage: {
    wall_ms: 1000,
    cpu_ms: 1500,
    peak_bytes: 4096,
    memory_limit_bytes: 256 * 2 ** 20,
    gpu_ms: null,
    gpu_peak_bytes: null,
    sampled: ["peak_bytes"],
  },
  taken_from: null,
  log_bytes: "log of echo one\n".length,
};
const SECOND = {
  ...JOB,
  id: secondId,
  backend_job_id: secondId,
  key: "1.0",
  step: "s1",
  label: "s1",
  node: "1",
  command: "exit 3",
  display_command: "exit 3",
  status: "running",
  reason: null,
  exit_code: null,
  finished_at: null,
  times_ms: { created: ms, started: ms, finished: null },
  usage: {
    wall_ms: null,
    cpu_ms: null,
    peak_bytes: null,
    memory_limit_bytes: null,
    gpu_ms: null,
    gpu_peak_bytes: null,
    sampled: [],
  },
  taken_from: null,
  log_bytes: "log of exit 3\n".length,
};
const paged = (page: number, size: number, from: number, to: number, total = 2) => ({
  total,
  page,
  size,
  has_prev: page > 1,
  has_next: to < total,
  from_idx: from,
  to_idx: to,
  links: {
    ...(page > 1 && { prev: { page: page - 1 } }),
    self: { page },
    ...(to < total && { next: { page: page + 1 } }),
  },
});

describe("GET jobs", async () => {
  const url = `/api/workflows/w/jobs?${T(ada)}`;
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", run, (address) => `/api/workflows/${address}/jobs`)),
    { name: "page 0", url: `${url}&page=0`, status: 400 },
    { name: "too many at once", url: `${url}&size=1001`, status: 400 },
    {
      name: "of a run that was not started",
      url: `/api/workflows/${created.name}/jobs?${T(ada)}`,
      status: 200,
      reply: { items: [], ...paged(1, 100, 0, 0, 0) },
    },
    {
      name: "with what they are, did and used",
      url,
      status: 200,
      reply: { items: [FIRST, SECOND], ...paged(1, 100, 0, 2) },
    },
    {
      name: "one page of them",
      url: `${url}&page=2&size=1`,
      status: 200,
      reply: { items: [SECOND], ...paged(2, 1, 1, 2) },
    },
    ...(
      [
        ["of one status", "status=finished", [FIRST]],
        ["of a status that none has", "status=stopped", []],
        ["with a text in the label", "search=S1", [SECOND]],
        ["with a text in the command", "search=ECHO", [FIRST]],
        ["with a text that is no pattern", "search=%25", []],
        ["with a status and a text of different jobs", "status=running&search=echo", []],
        ["with a status and a node", "status=running&node=1", [SECOND]],
        ["with a key", "key=1.0", [SECOND]],
      ] as const
    ).map(([name, query, items]) => ({
      name,
      url: `${url}&${query}`,
      status: 200,
      reply: { items, ...paged(1, 100, 0, items.length, items.length) },
    })),
    {
      name: "the second page of those that match, the newest first",
      url: `${url}&search=e&sort=desc&size=1&page=2`,
      status: 200,
      reply: { items: [FIRST], ...paged(2, 1, 1, 2) },
    },
    { name: "of an unknown status", url: `${url}&status=nothing`, status: 400 },
    {
      name: "the newest first",
      url: `${url}&sort=desc&size=1`,
      status: 200,
      reply: { items: [SECOND], ...paged(1, 1, 0, 1) },
    },
    {
      name: "the oldest last",
      url: `${url}&sort=desc&size=1&page=2`,
      status: 200,
      reply: { items: [FIRST], ...paged(2, 1, 1, 2) },
    },
    {
      name: "those of one node",
      url: `${url}&node=1`,
      status: 200,
      reply: { items: [SECOND], ...paged(1, 100, 0, 1, 1) },
    },
    {
      name: "those of an unknown node",
      url: `${url}&node=7`,
      status: 200,
      reply: { items: [], ...paged(1, 100, 0, 0, 0) },
    },
    {
      name: "those with an id",
      url: `${url}&id=${secondId}&id=${created.id}`,
      status: 200,
      reply: { items: [SECOND], ...paged(1, 1, 0, 1, 1) },
    },
    { name: "more ids than an address has room for", url: `${url}${"&id=a".repeat(101)}`, status: 400 },
    {
      name: "a page behind the last",
      url: `${url}&page=3&size=1`,
      status: 200,
      reply: { items: [], ...paged(3, 1, 2, 2) },
    },
  ]);

  test("report why a job failed, and that the output was deleted with the run", async () => {
    api.backend.end(secondId, { exitCode: 3 });
    await untilStatus(api, ada, run.id, "failed");
    const last = async () => {
      const reply = await api.inject({ url: `/api/workflows/w.1/jobs?${T(ada)}` });
      return reply.json<{ items: object[] }>().items.at(-1);
    };
    expect(await last()).toMatchObject({ status: "failed", reason: "exited", exit_code: 3 });
    await changeStatus(api, ada, run.id, "deleted");
    expect(await last()).toMatchObject({ status: "failed", exit_code: 3, log_bytes: null });
  });
});
