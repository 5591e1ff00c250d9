import { utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios, type Scenario } from "../../support/scenarios/scenarios.ts";
import { changeStatus, createRun, refusalRows } from "../../support/run-rows.ts";
import { workspaceClient } from "../../support/workspace-client.ts";

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();
const { at, put, get, folderOf } = workspaceClient(api, ada);

describe("GET workspace", async () => {
  const run = await createRun(api, ada, "ls");
  for (const name of ["a.txt", "results/one.csv", "results/two.csv", "results/deep/three.csv"]) {
    await put(run, name, "x".repeat(name.length * 100));
  }
  const gone = await createRun(api, ada, "gone");
  await changeStatus(api, ada, gone.id, "deleted");
  const fresh = await createRun(api, ada, "fresh");
  const file = (name: string, human: string) => ({
    name,
    size: { raw: name.length * 100, human_readable: human },
    "last-modified": expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
  });
  const all = [
    file("a.txt", "500 Bytes"),
    file("results/deep/three.csv", "2.15 KiB"),
    file("results/one.csv", "1.46 KiB"),
    file("results/two.csv", "1.46 KiB"),
  ];
  const whole = (...items: object[]) => ({
    items,
    total: items.length,
    page: 1,
    has_prev: false,
    has_next: false,
  });
  const search = (value: object) => `search=${encodeURIComponent(JSON.stringify(value))}`;
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", run, (address) => `/api/workflows/${address}/workspace`)),
    { name: "of a deleted run", url: at(gone, ""), status: 404, reply: "Workspace does not exist." },
    {
      name: "a path that leads out",
      url: at(run, "", "file_name=../x"),
      status: 400,
      reply: "'..' is not a valid path component",
    },
    { name: "a search of the wrong shape", url: at(run, "", search({ size: 3 })), status: 400 },
    { name: "size 0", url: at(run, "", "size=0"), status: 400, reply: "Field 'size': must be >= 1." },
    { name: "of a run without files", url: at(fresh, ""), status: 200, reply: whole() },
    { name: "all files", url: at(run, ""), status: 200, reply: whole(...all) },
    { name: "all files, as clients ask", url: at(run, "", "page=1"), status: 200, reply: whole(...all) },
    {
      name: "a page",
      url: at(run, "", "page=2&size=3"),
      status: 200,
      reply: {
        items: [all[3]],
        total: 4,
        page: 2,
        size: 3,
        has_prev: true,
        has_next: false,
        from_idx: 3,
        to_idx: 4,
        links: { prev: { page: 1 }, self: { page: 2 } },
      },
    },
    { name: "one file", url: at(run, "", "file_name=a.txt"), status: 200, reply: whole(all[0]!) },
    { name: "a folder", url: at(run, "", "file_name=results/deep"), status: 200, reply: whole(all[1]!) },
    {
      name: "a pattern",
      url: at(run, "", "file_name=results%2F*.csv"),
      status: 200,
      reply: whole(all[2]!, all[3]!),
    },
    { name: "an empty pattern is none", url: at(run, "", "file_name="), status: 200, reply: whole(...all) },
    {
      name: "by part of a name",
      url: at(run, "", search({ name: ["TWO"] })),
      status: 200,
      reply: whole(all[3]!),
    },
    {
      name: "by size",
      url: at(run, "", search({ size: ["1500"], name: ["one"] })),
      status: 200,
      reply: whole(all[2]!),
    },
    {
      name: "by size as people read it",
      url: at(run, "", search({ size: ["1.46 kib"] })),
      status: 200,
      reply: whole(all[2]!, all[3]!),
    },
    { name: "by part of a size", url: at(run, "", search({ size: ["50"] })), status: 200, reply: whole() },
    { name: "by time", url: at(run, "", search({ "last-modified": ["1970"] })), status: 200, reply: whole() },
  ] satisfies Scenario[]);

  test("times that no calendar has do not hurt", async () => {
    const old = path.join(await folderOf(run), "old");
    await writeFile(old, "x");
    await utimes(old, 4e11, 4e11);
    expect((await api.inject({ url: at(run, "", "file_name=old") })).statusCode).toBe(200);
    expect((await get(run, "old")).statusCode).toBe(200);
  });
});
