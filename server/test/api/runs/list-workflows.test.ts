import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { transaction } from "#store/database/database";
import { insertRun } from "#store/runs/runs";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { changeStatus, createRun, serial, T, UNKNOWN_TOKEN, untilStatus } from "../../support/run-rows.ts";

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();
const bob = await api.makeUser();
const nobodyElse = await api.makeUser();

const fits = [await createRun(api, ada, "fit"), await createRun(api, ada, "fit")];
const plot = await createRun(api, ada, "Plot_1%25");
const gone = await createRun(api, ada, "gone");
await changeStatus(api, ada, gone.id, "deleted");
await createRun(api, bob, "fit");

const url = (query: string) => `/api/workflows?${query}&${T(ada)}`;
const names = (...list: string[]) =>
  expect.objectContaining({ items: list.map((name) => expect.objectContaining({ name })) });
const nothing = (more: object = {}) => expect.objectContaining({ items: [], total: 0, ...more });
const item = (run: { id: string; name: string }) => ({
  id: run.id,
  name: run.name,
  status: "created",
  user: ada.id,
  created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
  launcher_url: null,
  owner_email: ada.email,
  shared_with: [],
  services: [],
  progress: { run_started_at: null, run_finished_at: null, run_stopped_at: null, wall_ms: null },
  size: { raw: -1, human_readable: "" },
});
const deleted = expect.objectContaining({ name: gone.name, status: "deleted" });
const NO_JOBS = { total: 0, job_ids: [] };

describe("GET /api/workflows", async () => {
  await runScenarios(api, [
    { name: "nobody", url: "/api/workflows?page=1", status: 401, reply: "User not signed in" },
    {
      name: "a wrong token",
      url: "/api/workflows?access_token=no",
      status: 404,
      reply: UNKNOWN_TOKEN,
    },
    {
      name: "an unknown status",
      url: url("status=running,paused"),
      status: 400,
      reply:
        "Field 'status': paused is not one of: created, queued, pending, running, finished, failed, stopped, deleted.",
    },
    { name: "a search that is no JSON", url: url("search=fit"), status: 400 },
    { name: "a search of the wrong shape", url: url("search=%7B%22name%22:1%7D"), status: 400 },
    { name: "page 0", url: url("page=0"), status: 400, reply: "Field 'page': must be >= 1." },
    { name: "a page beyond every number", url: url("page=1e300"), status: 400 },
    { name: "a size that is not a number", url: url("size=many"), status: 400 },
    { name: "verbose that is no flag", url: url("verbose=loud"), status: 400 },
    { name: "since no time", url: url("created_since=yesterday"), status: 400 },
    { name: "another order", url: url("sort=name"), status: 400 },
    {
      name: "shared by and with at once",
      url: url("shared_by=a@b.c&shared_with=nobody"),
      status: 400,
      reply: "You cannot filter by shared_by and shared_with at the same time.",
    },
    {
      name: "a plain array if the request has no query",
      url: `/api/workflows?${T(ada)}`,
      status: 200,
    },
    {
      name: "a page as the first command of a client asks for it",
      url: url("verbose=false&type=batch&page=1&size=2&status=created,running"),
      status: 200,
      reply: {
        items: [item(plot), item(fits[1]!)],
        total: 3,
        page: 1,
        size: 2,
        has_prev: false,
        has_next: true,
        from_idx: 0,
        to_idx: 2,
        links: { self: { page: 1 }, next: { page: 2 } },
        user_has_workflows: true,
      },
    },
    {
      name: "deleted runs too if a type is named without statuses, as in REANA",
      url: url("type=batch&size=2"),
      status: 200,
      reply: expect.objectContaining({ items: [deleted, item(plot)], total: 4 }),
    },
    {
      name: "deleted runs too if a run is named without statuses, as in REANA",
      url: url("workflow_id_or_name=gone"),
      status: 200,
      reply: expect.objectContaining({ items: [deleted], total: 1 }),
    },
    {
      name: "the last page",
      url: url("page=2&size=2"),
      status: 200,
      reply: expect.objectContaining({ items: [item(fits[0]!)], has_prev: true, has_next: false }),
    },
    {
      name: "since a time before all",
      url: url("created_since=1970-01-01T00:00:00Z&page=1&size=2"),
      status: 200,
      reply: expect.objectContaining({ items: [item(plot), item(fits[1]!)], total: 3 }),
    },
    {
      name: "since a time after all, of some statuses",
      url: url("created_since=2100-01-01T00:00:00Z&page=1&status=created,failed"),
      status: 200,
      reply: nothing({ user_has_workflows: true }),
    },
    {
      name: "a page past the last",
      url: url("page=9&size=2"),
      status: 200,
      reply: expect.objectContaining({ items: [] }),
    },
    {
      name: "everything if the request names no size",
      url: url("page=1"),
      status: 200,
      reply: {
        items: [item(plot), item(fits[1]!), item(fits[0]!)],
        total: 3,
        page: 1,
        has_prev: false,
        has_next: false,
        user_has_workflows: true,
      },
    },
    {
      name: "a size larger than is held at once",
      url: url("page=1&size=100000"),
      status: 200,
      reply: expect.objectContaining({
        items: [item(plot), item(fits[1]!), item(fits[0]!)],
        size: 100_000,
        to_idx: 3,
      }),
    },
    {
      name: "past the end of such a size",
      url: url("page=2&size=100000"),
      status: 200,
      reply: expect.objectContaining({ items: [], total: 3, has_prev: true }),
    },
    {
      name: "the oldest first",
      url: url("sort=asc&size=9"),
      status: 200,
      reply: names("fit.1", "fit.2", "Plot_1%.1"),
    },
    {
      name: "the oldest first, streamed",
      url: url("sort=asc"),
      status: 200,
      reply: names("fit.1", "fit.2", "Plot_1%.1"),
    },
    {
      name: "part of a name",
      url: url("search=%7B%22name%22:[%22IT%22]%7D&size=9"),
      status: 200,
      reply: names("fit.2", "fit.1"),
    },
    {
      name: "a name is searched as it is",
      url: url("search=%7B%22name%22:[%22_1%25%22]%7D"),
      status: 200,
      reply: names("Plot_1%.1"),
    },
    {
      name: "a per cent sign is no wildcard",
      url: url("search=%7B%22name%22:[%22f%25t%22]%7D"),
      status: 200,
      reply: nothing(),
    },
    { name: "by name", url: url("workflow_id_or_name=fit"), status: 200, reply: names("fit.2", "fit.1") },
    { name: "a full name is no name", url: url("workflow_id_or_name=fit.1"), status: 200, reply: nothing() },
    {
      name: "by UUID",
      url: url(`workflow_id_or_name=${fits[0]!.id}&size=5`),
      status: 200,
      reply: names("fit.1"),
    },
    {
      name: "deleted ones when they are asked for",
      url: url("status=deleted"),
      status: 200,
      reply: names("gone.1"),
    },
    {
      name: "several statuses",
      url: url("status=deleted,created&size=2"),
      status: 200,
      reply: names("gone.1", "Plot_1%.1"),
    },
    {
      name: "statuses repeated",
      url: url("status=running&status=deleted"),
      status: 200,
      reply: names("gone.1"),
    },
    { name: "an empty status is none", url: url("status=&size=1"), status: 200, reply: names("Plot_1%.1") },
    {
      name: "nothing runs",
      url: url("status=running&size=1"),
      status: 200,
      reply: nothing({ user_has_workflows: true }),
    },
    { name: "interactive sessions", url: url("type=interactive&size=5"), status: 200, reply: nothing() },
    { name: "shared by somebody", url: url("shared_by=anybody&size=5"), status: 200, reply: nothing() },
    { name: "shared with somebody", url: url("shared_with=a@b.c&size=5"), status: 200, reply: nothing() },
    {
      name: "shared with nobody",
      url: url("shared_with=nobody&size=1"),
      status: 200,
      reply: names("Plot_1%.1"),
    },
    {
      name: "what only later clients send",
      url: url("include_session_secrets=false&shared=false&size=1"),
      status: 200,
      reply: names("Plot_1%.1"),
    },
    {
      name: "with progress",
      url: url("include_progress=true&size=1"),
      status: 200,
      reply: expect.objectContaining({
        items: [
          {
            ...item(plot),
            progress: {
              run_started_at: null,
              run_finished_at: null,
              run_stopped_at: null,
              wall_ms: null,
              total: NO_JOBS,
              running: NO_JOBS,
              finished: NO_JOBS,
              failed: NO_JOBS,
              current_command: null,
              current_step_name: null,
              current_label: null,
            },
          },
        ],
      }),
    },
    {
      name: "verbose: with the size, too",
      url: url("verbose=true&size=1"),
      status: 200,
      reply: expect.objectContaining({
        items: [expect.objectContaining({ size: { raw: 0, human_readable: "0 Bytes" } })],
      }),
    },
    {
      name: "a user without workflows",
      url: `/api/workflows?page=1&size=5&${T(nobodyElse)}`,
      status: 200,
      reply: expect.objectContaining({ items: [], total: 0, user_has_workflows: false }),
    },
    { name: "and their plain array", url: `/api/workflows?${T(nobodyElse)}`, status: 200, reply: [] },
  ]);

  test("a bearer token without a query returns a plain array too", async () => {
    const reply = await api.inject({
      url: "/api/workflows",
      headers: { authorization: `Bearer ${ada.token}` },
    });
    expect(reply.json()).toEqual([item(plot), item(fits[1]!), item(fits[0]!)]);
  });
});

describe("a run with jobs", () => {
  test("is listed with progress", async () => {
    const run = await createRun(api, bob, "busy", serial(["echo one", "echo two"]));
    await changeStatus(api, bob, run.id, "start");
    const job = await api.backend.startedJob(0);
    await untilStatus(api, bob, run.id, "running");
    const reply = await api.inject({ url: `/api/workflows?verbose=true&size=1&${T(bob)}` });
    expect(reply.json<{ items: unknown[] }>().items[0]).toMatchObject({
      status: "running",
      progress: {
        run_started_at: expect.stringMatching(/^\d{4}-/),
        total: { total: 2, job_ids: [job] },
        running: { total: 1, job_ids: [job] },
        finished: NO_JOBS,
        current_command: "echo one",
        current_step_name: "s0",
      },
    });
  });

  test("has an end time, and the last command, after a stop", async () => {
    await changeStatus(api, bob, "busy", "stop");
    const reply = await api.inject({ url: `/api/workflows?verbose=true&size=1&${T(bob)}` });
    const progress = reply.json<{ items: { progress: Record<string, string> }[] }>().items[0]!.progress;
    expect(progress).toMatchObject({ current_command: "echo one", current_step_name: "s0" });
    expect(progress["run_stopped_at"]).toMatch(/^\d{4}-/);
    expect(progress["run_finished_at"]).toBe(progress["run_stopped_at"]);
  });
});

describe("a list of many", () => {
  const COUNT = 1203;
  beforeAll(async () => {
    const { db, random } = api.operations;
    await transaction(db, async (connection) => {
      for (let index = 0; index < COUNT; index += 1) {
        await insertRun(connection, {
          id: random.uuid(),
          ownerId: nobodyElse.id,
          workspaceId: random.uuid(),
          name: "many",
          language: "serial",
          specification: { workflow: { type: "serial" } },
          launcherUrl: null,
          createdAtMs: index,
        });
      }
    });
  });

  const numbers = (items: readonly { name: string }[]) => items.map(({ name }) => Number(name.split(".")[1]));
  const down = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, index) => from - index);

  test("is streamed whole, each once and in order", async () => {
    const reply = await api.inject({ url: `/api/workflows?${T(nobodyElse)}` });
    expect(numbers(reply.json())).toEqual(down(COUNT, 1));
  });

  test.each([
    [1, 700, down(COUNT, COUNT - 699)],
    [2, 700, down(COUNT - 700, 1)],
    [3, 501, down(COUNT - 1002, 1)],
    [25, 50, down(3, 1)],
  ])("page %d of %d", async (page, size, expected) => {
    const reply = await api.inject({ url: `/api/workflows?page=${page}&size=${size}&${T(nobodyElse)}` });
    const body = reply.json<{ items: { name: string }[]; total: number }>();
    expect([numbers(body.items), body.total]).toEqual([expected, COUNT]);
  });
});

test("shared runs do not count as the reader's own", async () => {
  const reader = await api.makeUser();
  const payload = { user_email_to_share_with: reader.email };
  const share = `/api/workflows/${plot.id}/share?${T(ada)}`;
  expect((await api.inject({ method: "POST", url: share, payload })).statusCode).toBe(200);
  for (const size of ["", "&size=5"]) {
    const reply = await api.inject(`/api/workflows?shared=true${size}&${T(reader)}`);
    expect(reply.json()).toMatchObject({ total: 1, user_has_workflows: false });
  }
});
