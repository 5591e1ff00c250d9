import { access, readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { deleteRun } from "#operations/runs/delete-run";
import { maybeRun } from "#store/runs/runs";
import { apiFixture } from "../../support/api-fixture.ts";
import {
  changeStatus,
  createRun,
  type CreatedRun,
  serial,
  statusOf,
  T,
  untilStatus,
} from "../../support/run-rows.ts";
import { withVerbs } from "../../support/fakes/with-verbs.ts";

const api = await apiFixture();
afterAll(() => api.close());

describe("the remains of a deleted run", async () => {
  const { db } = api.operations;
  const ada = await api.makeUser();
  const folderOf = async (run: CreatedRun) =>
    api.operations.workspaces.of((await maybeRun(db, run.id))!.workspaceId).folder;
  const upload = (run: CreatedRun) =>
    api.inject({
      method: "POST",
      url: `/api/workflows/${run.id}/workspace?file_name=a/b.txt&${T(ada)}`,
      payload: "x",
    });

  test("no files", async () => {
    const run = await createRun(api, ada, "files");
    await upload(run);
    const folder = await folderOf(run);
    await access(folder);
    await changeStatus(api, ada, run.id, "deleted");
    await expect(access(folder)).rejects.toMatchObject({ code: "ENOENT" });
    expect((await readdir(path.dirname(folder))).filter((name) => name.startsWith("."))).toEqual([]);
  });

  test("no run twice, for concurrent deletions", async () => {
    const run = await createRun(api, ada, "files");
    await upload(run);
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => changeStatus(api, ada, run.id, "deleted")),
    );
    expect(replies.map((reply) => reply.statusCode)).toEqual(Array(8).fill(200));
    await expect(access(await folderOf(run))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("its name to be looked up, after the runs that are not deleted", async () => {
    const [one, two, three] = [
      await createRun(api, ada, "n"),
      await createRun(api, ada, "n"),
      await createRun(api, ada, "n"),
    ];
    await changeStatus(api, ada, three.id, "deleted");
    const nameAt = async (address: string) =>
      (await api.inject({ url: `/api/workflows/${address}/status?${T(ada)}` })).json<{ name: string }>().name;
    expect(await nameAt("n")).toBe(two.name);
    expect(await nameAt("n.3")).toBe(three.name);
    expect(await statusOf(api, ada, three.id)).toBe("deleted");
    for (const run of [one, two]) await changeStatus(api, ada, run.id, "deleted");
    expect(await nameAt("n")).toBe(three.name);
  });

  test("no other live run of the name if all runs are to be deleted", async () => {
    await createRun(api, ada, "all");
    const second = await createRun(api, ada, "all", serial(["all live"]));
    const last = await createRun(api, ada, "all");
    await changeStatus(api, ada, second.id, "start");
    await untilStatus(api, ada, second.id, "running");
    const refused = await changeStatus(api, ada, second.id, "deleted", { all_runs: true });
    expect(refused.statusCode).toBe(409);
    expect(await statusOf(api, ada, last.id)).toBe("created");
    const reply = await changeStatus(api, ada, last.id, "deleted", { all_runs: true });
    expect(reply.json()).toEqual(
      expect.objectContaining({
        status: "deleted",
        message: "All workflows named all successfully deleted.",
      }),
    );
    expect(await Promise.all(["all.1", "all.2", "all.3"].map((name) => statusOf(api, ada, name)))).toEqual([
      "deleted",
      "running",
      "deleted",
    ]);
    await changeStatus(api, ada, second.id, "stop");
  });

  test("every other run of the name, although a run is started during the deletion", async () => {
    const runs = [];
    for (let number = 0; number < 4; number += 1) runs.push(await createRun(api, ada, "race"));
    const [first, second, third, fourth] = runs.map(({ id }) => id) as [string, string, string, string];
    let removals = 0;
    const workspaces = withVerbs(api.operations.workspaces, (workspace) => ({
      async remove() {
        removals += 1;
        if (removals === 2) await changeStatus(api, ada, third, "start");
        await workspace.remove();
      },
    }));
    const caller = { ...ada, isAdmin: false };
    await deleteRun({ ...api.operations, workspaces }, caller, { address: first, allRuns: true });
    expect(await statusOf(api, ada, third)).not.toBe("deleted");
    expect([await statusOf(api, ada, second), await statusOf(api, ada, fourth)]).toEqual([
      "deleted",
      "deleted",
    ]);
    await changeStatus(api, ada, third, "stop");
  });
});
