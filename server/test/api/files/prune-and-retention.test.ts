import { rename, symlink } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { pruneWorkspace } from "#operations/files/change-files";
import { createRetention } from "#operations/files/retention";
import { toWireTime } from "#plumbing/clock";
import { claimRule, dueRules, rulesOfRun } from "#store/workspaces/retention";
import { maybeRun } from "#store/runs/runs";
import { apiFixture } from "../../support/api-fixture.ts";
import { fakeDisk } from "../../support/fakes/fake-disk.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import {
  changeStatus,
  type CreatedRun,
  createRun,
  refusalRows,
  serial,
  T,
  untilStatus,
} from "../../support/run-rows.ts";
import { workspaceClient } from "../../support/workspace-client.ts";
import { withVerbs } from "../../support/fakes/with-verbs.ts";

/** Deletion of files in a workspace, by retention rules or by a prune. */
const api = await apiFixture();
afterAll(() => api.close());
const { db, clock } = api.operations;
const ada = await api.makeUser();
const { at, put, folderOf } = workspaceClient(api, ada);
const DAY_MS = 86_400_000;

const FILES = ["in.csv", "data/a.csv", "data/deep/b.csv", "plots/one.png", "plots/notes.txt", "tmp/x", "log"];
const declared = {
  ...serial(["true"]),
  inputs: { files: ["in.csv"], directories: ["data/"] },
  outputs: { files: ["plots/*.png"] },
};

const filesOf = async (run: CreatedRun) => {
  const listed = await api.inject({ url: at(run, "") });
  return listed.json<{ items: { name: string }[] }>().items.map(({ name }) => name);
};

async function filledRun(name: string, more: object = {}): Promise<CreatedRun> {
  const run = await createRun(api, ada, name, { ...declared, ...more });
  for (const file of FILES) await put(run, file, "x");
  return run;
}

async function finished(run: CreatedRun): Promise<void> {
  const index = api.backend.started.length;
  await changeStatus(api, ada, run.id, "start");
  api.backend.end(await api.backend.startedJob(index));
  await untilStatus(api, ada, run.id, "finished");
}

test("a retention rule is previewed, of whatever its run has declared", async () => {
  const run = await filledRun("ruled", { workspace: { retention_days: { "plots/**": 5 } } });
  const rules = await api.inject({ url: `/api/workflows/${run.id}/retention_rules?${T(ada)}` });
  const { id } = rules.json<{ retention_rules: { id: string }[] }>().retention_rules[0]!;
  const preview = (rule: string) =>
    api.inject({ url: `/api/workflows/${run.id}/prune?rule=${rule}&${T(ada)}` });
  expect((await preview(id)).json()).toMatchObject({
    total_files: 1,
    files: [{ name: "plots/notes.txt", bytes: 1 }],
  });
  expect((await preview(run.id)).statusCode).toBe(404);
});

describe("POST prune", async () => {
  let run: CreatedRun;
  beforeEach(async () => {
    run = await filledRun("prune");
  });
  const rows = await createRun(api, ada, "rows");
  const url = (address: string) => `/api/workflows/${address}/prune`;
  await runScenarios(api, [
    ...(await refusalRows(api, "POST", rows, url)),
    {
      name: "an empty workspace",
      method: "POST",
      url: `${url(rows.id)}?${T(ada)}`,
      status: 200,
      reply: {
        message: "The workspace has been correctly pruned.",
        workflow_id: rows.id,
        workflow_name: "rows",
      },
    },
  ]);
  const prune = async (query: string, payload?: object) =>
    (
      await api.inject({
        method: "POST",
        url: `${url(run.id)}?${query}&${T(ada)}`,
        ...(payload && { payload }),
      })
    ).statusCode;
  const [inputs, outputs] = [["data/a.csv", "data/deep/b.csv", "in.csv"], ["plots/one.png"]];

  test("is previewed: equal files, without a deletion", async () => {
    const preview = async (query: string) =>
      (await api.inject({ url: `${url(run.id)}?${query}&${T(ada)}` })).json<{ files: { name: string }[] }>();
    const undeclared = ["log", "plots/notes.txt", "tmp/x"];
    const all = await preview("");
    expect(all).toMatchObject({ workflow_name: run.name, total_files: 3, total_bytes: 3 });
    expect(all.files.map(({ name }) => name).sort()).toEqual(undeclared);
    const more = await preview("include_outputs=true");
    expect(more.files.map(({ name }) => name).sort()).toEqual([
      "log",
      "plots/notes.txt",
      "plots/one.png",
      "tmp/x",
    ]);
    const before = await filesOf(run);
    expect(before).toHaveLength(FILES.length);
    expect(await prune("")).toBe(200);
    expect(before.filter((name) => undeclared.includes(name)).sort()).toEqual(undeclared);
    expect((await filesOf(run)).some((name) => undeclared.includes(name))).toBe(false);
    expect(await preview("")).toMatchObject({ total_files: 0, files: [] });
  });

  test("keeps declared inputs and outputs, and no empty folder", async () => {
    expect(await prune("")).toBe(200);
    expect(await filesOf(run)).toEqual([...inputs, ...outputs]);
    const listed = await api.inject({ url: at(run, "", "file_name=*") });
    expect(listed.json<{ items: { name: string }[] }>().items.map(({ name }) => name)).toEqual([
      "data",
      "in.csv",
      "plots",
    ]);
  });

  test("spares what a declared output links to", async () => {
    const workspace = await folderOf(run);
    const [output] = outputs as [string];
    await rename(path.join(workspace, output), path.join(workspace, "real"));
    await symlink(path.join(workspace, "real"), path.join(workspace, output));
    expect(await prune("")).toBe(200);
    expect(await filesOf(run)).toEqual([...inputs, ...outputs, "real"].toSorted());
  });

  test("deletes the inputs or the outputs too if asked to, in the query or the body", async () => {
    expect(await prune("include_inputs=true")).toBe(200);
    expect(await filesOf(run)).toEqual(outputs);
    run = await filledRun("prune");
    expect(await prune("", { include_outputs: true })).toBe(200);
    expect(await filesOf(run)).toEqual(inputs);
    expect(await prune("include_inputs=true&include_outputs=true")).toBe(200);
    expect(await filesOf(run)).toEqual([]);
  });

  test("is refused while a run of the workspace is live", async () => {
    await changeStatus(api, ada, run.id, "start");
    await untilStatus(api, ada, run.id, "running");
    expect(await prune("")).toBe(409);
    expect(await filesOf(run)).toHaveLength(FILES.length);
  });
});

describe("a run that begins during the pruning of the workspace", () => {
  test("keeps the present files from now on", async () => {
    const run = await filledRun("meanwhile");
    const index = api.backend.started.length;
    const { workspaces } = api.operations;
    const late = withVerbs(workspaces, (workspace) => ({
      async prune(...wanted) {
        await changeStatus(api, ada, run.id, "start");
        return workspace.prune(...wanted);
      },
    }));
    const wanted = { address: run.id, includeInputs: false, includeOutputs: false };
    const pruning = pruneWorkspace(
      { db, clock, workspaces: late, disk: fakeDisk() },
      { ...ada, isAdmin: false },
      wanted,
    );
    await expect(pruning).rejects.toMatchObject({ kind: "conflict" });
    expect(await filesOf(run)).toHaveLength(FILES.length);
    // Left behind, it would be taken for the first job of the next test.
    api.backend.end(await api.backend.startedJob(index));
    await untilStatus(api, ada, run.id, "finished");
  });
});

describe("retention rules", async () => {
  const rows = await createRun(api, ada, "ruled", {
    ...declared,
    workspace: { retention_days: { "**/*.txt": 3, log: 0, "/etc": 1, "a/../b": 1, bad: -1, worse: "1" } },
  });
  const url = (address: string) => `/api/workflows/${address}/retention_rules`;
  const rule = (pattern: string, days: number) => ({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    workspace_files: pattern,
    retention_days: days,
    apply_on: null,
    status: "created",
  });
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", rows, url)),
    {
      name: "as they were asked for, without those that were warned of",
      url: `${url(rows.id)}?${T(ada)}`,
      status: 200,
      reply: {
        workflow_id: rows.id,
        workflow_name: "ruled.1",
        retention_rules: [rule("**/*.txt", 3), rule("log", 0)],
      },
    },
    {
      name: "a start with rules that cannot be applied",
      method: "PUT",
      url: `/api/workflows/${rows.id}/status?status=start&${T(ada)}`,
      status: 400,
      reply: [
        "Workflow ruled.1 could not be started. Retention rule /etc cannot be an absolute path",
        "Retention rule a/../b cannot contain '..'",
        "workspace.retention_days.bad is -1; it must be a whole number of days from 0 to 3650000.",
        'workspace.retention_days.worse is "1"; it must be a whole number of days from 0 to 3650000.',
      ].join("\n"),
    },
  ]);

  const ruled = (name: string) =>
    filledRun(name, {
      workspace: { retention_days: { "**/*.txt": 3, log: 1, "data/**": 1, "**/*.png": 1 } },
    });
  const inDays = (days: number) => ({
    ...api.operations,
    clock: { ...clock, now: () => clock.now() + days * DAY_MS },
  });
  const statuses = async (run: CreatedRun) =>
    Object.fromEntries((await rulesOfRun(db, run.id)).map((row) => [row.pattern, row.status]));
  const all = (status: string) => ({
    "**/*.png": status,
    "**/*.txt": status,
    "data/**": status,
    log: status,
  });

  test("are applied when their time has come, and inputs and outputs stay", async () => {
    const run = await ruled("timely");
    expect(await createRetention(inDays(100), "host")()).toBe(0);
    await finished(run);
    const end = (await maybeRun(db, run.id))!.finishedAtMs!;
    const listed = (await api.inject(`${url(run.id)}?${T(ada)}`)).json();
    expect(listed.retention_rules.map((row: { apply_on: string }) => row.apply_on)).toEqual(
      [1, 3, 1, 1].map((days) => toWireTime(end + days * DAY_MS)),
    );
    expect(await statuses(run)).toEqual(all("active"));
    expect(await createRetention(inDays(0.9), "host")()).toBe(0);
    expect(await createRetention(inDays(1.1), "host")()).toBe(3);
    expect(await filesOf(run)).toEqual(FILES.filter((file) => file !== "log").toSorted());
    expect(await statuses(run)).toEqual({ ...all("applied"), "**/*.txt": "active" });
    expect(await createRetention(inDays(3.1), "host")()).toBe(1);
    expect(await filesOf(run)).not.toContain("plots/notes.txt");
    expect(await createRetention(inDays(100), "host")()).toBe(0);
  });

  test("of a run that was restarted or deleted are no longer applied", async () => {
    const run = await ruled("again");
    await finished(run);
    const index = api.backend.started.length;
    const start = `/api/workflows/${run.id}/start?${T(ada)}`;
    const payload = { restart: true, fresh: true };
    const restarted = await api.inject({ method: "POST", url: start, payload });
    expect(restarted.statusCode).toBe(200);
    expect(await createRetention(inDays(100), "host")()).toBe(0);
    api.backend.end(await api.backend.startedJob(index));
    const second = { id: restarted.json<{ workflow_id: string }>().workflow_id, name: "again.1.1" };
    await untilStatus(api, ada, second.id, "finished");
    expect(await statuses(run)).toEqual(all("inactive"));
    expect(await statuses(second)).toEqual(all("active"));
    await changeStatus(api, ada, second.id, "deleted");
    expect(await createRetention(inDays(100), "host")()).toBe(0);
    expect(await statuses(second)).toEqual(all("inactive"));
  });

  test("rules with repeated failures do not delay other rules", async () => {
    const [broken, sound] = [await ruled("broken"), await ruled("sound")];
    await finished(broken);
    await finished(sound);
    const context = inDays(1.1);
    const { workspaceId } = (await maybeRun(db, broken.id))!;
    const failing = { prune: () => Promise.reject(new Error("The disk does not respond.")) };
    const workspaces = withVerbs(context.workspaces, ({ id }) => (id === workspaceId ? failing : {}));
    const apply = createRetention({ ...context, workspaces }, "host", 1);
    for (let pass = 0; pass < 7; pass += 1) await apply().catch(() => 0);
    expect(await statuses(sound)).toEqual({ ...all("applied"), "**/*.txt": "active" });
    expect(await statuses(broken)).toEqual(all("active"));
    expect(await createRetention(inDays(100), "host")()).toBe(5);
  });

  test("block a restart while they are applied, and are completed by another host if theirs goes away", async () => {
    const run = await ruled("busy");
    await finished(run);
    const now = inDays(2).clock.now();
    const [due] = await dueRules(db, now, { after: "", max: 1 });
    expect(await claimRule(db, due!, "host", now)).toBe(true);
    expect(await claimRule(db, due!, "other", now)).toBe(false);
    expect(Object.values(await statuses(run))).toContain("pending");
    const restart = () =>
      api.inject({
        method: "POST",
        url: `/api/workflows/${run.id}/start?${T(ada)}`,
        payload: { restart: true },
      });
    const refused = await restart();
    expect([refused.statusCode, refused.json().message]).toEqual([
      409,
      "The workflow cannot be restarted because some retention rules are currently being applied to the workspace. Please retry later.",
    ]);
    await db.updateTable("retention_rules").set({ claimed_by: "gone" }).where("id", "=", due!.id).execute();
    expect(await createRetention(inDays(2), "host")()).toBe(3);
    expect((await restart()).statusCode).toBe(200);
  });
});
