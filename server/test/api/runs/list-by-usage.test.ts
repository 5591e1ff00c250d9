import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { rankRuns } from "#operations/runs/list/ranked-list";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { changeStatus, createRun, T, untilStatus } from "../../support/run-rows.ts";
import { duOf, workspaceClient } from "../../support/workspace-client.ts";

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();
const bob = await api.makeUser();
const { folderOf } = workspaceClient(api, ada);

const idle = await createRun(api, ada, "idle");
const busy = await createRun(api, ada, "busy");
const fair = await createRun(api, ada, "fair");
const same = await createRun(api, ada, "same");
const gone = await createRun(api, ada, "gone");
await changeStatus(api, ada, gone.id, "deleted");
const others = await createRun(api, bob, "others");

const use = (run: { id: string }, cpuMs: number) =>
  api.operations.db.updateTable("runs").set({ cpu_ms: cpuMs }).where("id", "=", run.id).execute();
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
await fill(same, 40_000);

const url = (query: string) => `/api/workflows?${query}&${T(ada)}`;
const names = (...list: string[]) =>
  expect.objectContaining({ items: list.map((name) => expect.objectContaining({ name: `${name}.1` })) });

describe("GET /api/workflows by resource use", async () => {
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
    const folders = await Promise.all([same, idle, fair].map(folderOf));
    expect(items.map(({ size }) => size.raw)).toEqual(folders.map(duOf));
  });

  const sizeOf = async (name: string) => {
    const list = `include_workspace_size=true&workflow_id_or_name=${name}&size=1`;
    return (await api.inject({ url: url(list) })).json<{ items: { size: { raw: number } }[] }>().items[0]!
      .size.raw;
  };
  const quotaOf = async () => {
    const you = await api.inject({ url: `/api/you?${T(ada)}` });
    return you.json<{ quota: { disk: { usage: { raw: number } } } }>().quota.disk.usage.raw;
  };
  const usageOf = async (name: string) => {
    const reply = await api.inject({ url: `/api/workflows/${name}/disk_usage?summarize=true&${T(ada)}` });
    return reply.json<{ disk_usage_info: { size: { raw: number } }[] }>().disk_usage_info[0]!.size.raw;
  };

  test("lists, quota and du agree about a workspace after each change", async () => {
    const run = await createRun(api, ada, "changing");
    const folder = await folderOf(run);
    const before = await quotaOf();
    const check = async () => {
      const bytes = existsSync(folder) ? duOf(folder) : 0;
      expect([await sizeOf("changing"), await usageOf("changing"), (await quotaOf()) - before]).toEqual([
        bytes,
        bytes,
        bytes,
      ]);
    };
    await check();
    await fill(run, 50_000, "deep/a");
    await check();
    await fill(run, 10, "deep/a");
    await check();
    const rest = { method: "DELETE", url: `/api/workflows/${run.id}/workspace/deep?${T(ada)}` } as const;
    await api.inject(rest);
    await check();
    await changeStatus(api, ada, run.id, "start");
    const job = await api.backend.startedJob(0);
    await untilStatus(api, ada, run.id, "running");
    writeFileSync(path.join(folder, "made"), "x".repeat(20_000));
    await check();
    writeFileSync(path.join(folder, "made"), "x".repeat(90_000));
    api.backend.end(job);
    await untilStatus(api, ada, run.id, "finished");
    await check();
    await changeStatus(api, ada, run.id, "deleted");
    expect(await quotaOf()).toBe(before);
  });

  test("an unchanged workspace is not looked at again", async () => {
    const bytes = await sizeOf("same");
    writeFileSync(path.join(await folderOf(same), "by hand"), "x".repeat(50_000));
    expect(await sizeOf("same")).toBe(bytes);
    await fill(same, 1, "g");
    expect(await sizeOf("same")).toBe(duOf(await folderOf(same)));
  });

  test("too many files to look at in time are not looked at, and the list says so", async () => {
    const { db, workspaces } = api.operations;
    const full = { ...workspaces, maybeUsedBytesOfEach: () => Promise.resolve(undefined) };
    await expect(rankRuns({ db, workspaces: full }, { userId: ada.id }, "disk")).rejects.toThrow(
      "The workspaces of these 4 workflows hold more than 100000 files, too many to order the workflows by them. " +
        "Ask for fewer: by search, status or workflow_id_or_name.",
    );
  });
});
