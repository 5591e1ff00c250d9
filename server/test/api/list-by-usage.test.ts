import { afterAll, describe, expect, test } from "vitest";
import { rank } from "#operations/ranked-list";
import { apiFixture } from "../support/api-fixture.ts";
import { runScenarios } from "../support/scenarios.ts";
import { changeStatus, createRun, T } from "../support/workflow-rows.ts";

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();
const bob = await api.makeUser();

const idle = await createRun(api, ada, "idle");
const busy = await createRun(api, ada, "busy");
const fair = await createRun(api, ada, "fair");
const same = await createRun(api, ada, "same");
const gone = await createRun(api, ada, "gone");
await changeStatus(api, ada, gone.id, "deleted");
const others = await createRun(api, bob, "others");

const use = (run: { id: string }, cpuMs: number) =>
  api.operations.db.updateTable("workflows").set({ cpu_ms: cpuMs }).where("id", "=", run.id).execute();
await use(busy, 9000);
await use(fair, 500);
await use(same, 500);
await use(gone, 7000);
await use(others, 8000);

const fill = (run: { id: string }, bytes: number, name = "f") =>
  api.inject({
    method: "POST",
    url: `/api/workflows/${run.id}/workspace?file_name=${name}&${T(ada)}`,
    headers: { "content-type": "application/octet-stream" },
    payload: Buffer.alloc(bytes),
  });
await fill(idle, 300, "deep/a");
await fill(idle, 300, "deep/b");
await fill(fair, 500);
await fill(same, 700);

const url = (query: string) => `/api/workflows?${query}&${T(ada)}`;
const names = (...list: string[]) =>
  expect.objectContaining({ items: list.map((name) => expect.objectContaining({ name: `${name}.1` })) });

describe("GET /api/workflows by what they have used", async () => {
  await runScenarios(api, [
    {
      name: "processor time, the newest of equals first",
      url: url("sort=cpu-desc&size=9"),
      status: 200,
      reply: names("busy", "same", "fair", "idle"),
    },
    {
      name: "streamed",
      url: url("sort=cpu-desc"),
      status: 200,
      reply: names("busy", "same", "fair", "idle"),
    },
    {
      name: "its second page",
      url: url("sort=cpu-desc&size=2&page=2"),
      status: 200,
      reply: expect.objectContaining({
        items: [fair, idle].map(({ name }) => expect.objectContaining({ name })),
        total: 4,
        has_prev: true,
        has_next: false,
      }),
    },
    {
      name: "past its last page",
      url: url("sort=cpu-desc&size=2&page=3"),
      status: 200,
      reply: expect.objectContaining({ items: [], total: 4 }),
    },
    {
      name: "deleted ones when they are asked for",
      url: url("sort=cpu-desc&status=created,deleted&size=2"),
      status: 200,
      reply: names("busy", "gone"),
    },
    {
      name: "part of a name",
      url: url("sort=cpu-desc&search=%7B%22name%22:[%22a%22]%7D&size=9"),
      status: 200,
      reply: names("same", "fair"),
    },
    {
      name: "the files of the workspace",
      url: url("sort=disk-desc&size=9"),
      status: 200,
      reply: names("same", "idle", "fair", "busy"),
    },
    {
      name: "the files, streamed from its second page on",
      url: url("sort=disk-desc&size=100000"),
      status: 200,
      reply: names("same", "idle", "fair", "busy"),
    },
    {
      name: "the files of those alone that are meant",
      url: url("sort=disk-desc&status=created,deleted&workflow_id_or_name=gone"),
      status: 200,
      reply: names("gone"),
    },
  ]);

  test("sizes that are shown are in the order of the list", async () => {
    const reply = await api.inject({ url: url("sort=disk-desc&include_workspace_size=true&page=1&size=3") });
    const { items } = reply.json<{ items: { size: { raw: number } }[] }>();
    expect(items.map(({ size }) => size.raw)).toEqual([700, 600, 500]);
  });

  test("more files than somebody should wait for are not looked at, and it is said", async () => {
    const { db, workspaces } = api.operations;
    const full = { ...workspaces, maybeUsedBytesOfEach: () => Promise.resolve(undefined) };
    await expect(rank({ db, workspaces: full }, { ownerId: ada.id }, "disk")).rejects.toThrow(
      "The workspaces of these 4 workflows hold more than 100000 files, too many to order the workflows by them. " +
        "Ask for fewer: by search, status or workflow_id_or_name.",
    );
  });
});
