import { access } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import { transaction } from "#store/database/database";
import { jobsOfRun } from "#store/jobs/jobs";
import { runEvents } from "#store/events/run-events";
import { moveRun as moveStatus } from "#store/runs/move-run";
import { maybeRun, oneDefinition } from "#store/runs/runs";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios, type Scenario } from "../../support/scenarios/scenarios.ts";
import {
  changeStatus,
  createRun,
  type CreatedRun,
  refusalRows,
  serial,
  T,
  untilStatus,
} from "../../support/run-rows.ts";
import { withVerbs } from "../../support/fakes/with-verbs.ts";

const api = await apiFixture();
const { db } = api.operations;
const ada = await api.makeUser();
afterAll(() => api.close());

/** Returns a run whose only job has ended with the exit code. */
async function ranOnce(name: string, specification?: object, exitCode = 0, start?: object) {
  const run = await createRun(api, ada, name, specification);
  await changeStatus(api, ada, run.id, "start", start);
  await endNext(run.id, exitCode);
  return run;
}

/** Ends the job that the run waits for, and waits for the end of the run. */
async function endNext(id: string, exitCode = 0) {
  const job = await jobUnderWay(id);
  api.backend.end(job, { exitCode });
  await untilStatus(api, ada, id, exitCode === 0 ? "finished" : "failed");
}

async function jobUnderWay(id: string): Promise<string> {
  for (;;) {
    const job = (await jobsOfRun(db, id)).at(-1);
    if (job && api.backend.stateOf(job.id)?.status === "running") return job.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function restart(run: string, body: object = {}) {
  const url = `/api/workflows/${run}/start?${T(ada)}`;
  return api.inject({ method: "POST", url, payload: { restart: true, fresh: true, ...body } });
}

async function restarted(run: string, body?: object): Promise<CreatedRun & { readonly number: string }> {
  const { workflow_id: id, workflow_name: name, run_number: number } = (await restart(run, body)).json();
  return { id, name: `${name}.${number}`, number };
}

const folderOf = async (id: string) =>
  api.operations.workspaces.of((await maybeRun(db, id))!.workspaceId).folder;

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe("a refused restart", async () => {
  const over = await ranOnce("over", serial(["echo ${who}"], { who: "you" }));
  const fresh = await createRun(api, ada, "fresh");
  const running = await createRun(api, ada, "running");
  await changeStatus(api, ada, running.id, "start");
  await untilStatus(api, ada, running.id, "running");
  const gone = await ranOnce("gone");
  await changeStatus(api, ada, gone.id, "deleted");
  const put = (name: string, run: string, body: object, status: number, reply: string): Scenario => ({
    name,
    method: "PUT",
    url: `/api/workflows/${run}/status?status=start&${T(ada)}`,
    body: { restart: true, ...body },
    status,
    reply,
  });
  const could = (run: string, reason: string) => `Workflow ${run} could not be restarted because ${reason}`;
  await runScenarios(api, [
    ...(await refusalRows(api, "POST", over, (address) => `/api/workflows/${address}/start`)),
    put("what was not started", "fresh", {}, 409, could(fresh.name, "it has not been started. Start it.")),
    put(
      "what runs",
      "running",
      {},
      409,
      could(running.name, "it is currently running. Stop it first, or wait for its end."),
    ),
    put("what was deleted", gone.id, {}, 409, could(gone.name, "it was deleted. Create it again to run it.")),
    put(
      "a parameter that nobody declared",
      "over",
      { input_parameters: { x: 1 } },
      400,
      'Input parameter "x" is not present in reana.yaml',
    ),
    put(
      "an option that nobody knows",
      "over",
      { operational_options: { SPEED: 1 } },
      400,
      '==> ERROR: Operational option "SPEED" not supported.',
    ),
    put(
      "a specification that is none",
      "over",
      { reana_specification: { workflow: { type: "fortran" } } },
      400,
      "The specification is malformed at workflow.type: 'fortran' is not one of ['cwl', 'serial', 'yadage', 'snakemake']",
    ),
    put(
      "a specification in a language that cannot be run here",
      "over",
      { reana_specification: { workflow: { type: "snakemake", file: "Snakefile" } } },
      501,
      "Workflow over.1 could not be restarted: this server cannot run snakemake workflows (it runs: serial, cwl, yadage). " +
        "To run them, run `reprise setup snakemake` on its machine and try again, or start the server with Snakemake in its PATH " +
        "or with --snakemake PROGRAM.",
    ),
  ]);

  test("leaves nothing: no run, no number", async () => {
    const { name, id } = await restarted(over.id);
    expect(name).toBe("over.1.1");
    await endNext(id);
  });
});

describe("a restart", () => {
  test("is a run of its own in the same workspace, answered as REANA's clients expect", async () => {
    const run = await ranOnce("twice", serial(["true"]), 3);
    const reply = await restart(run.name);
    const id = reply.json<{ workflow_id: string }>().workflow_id;
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      {
        message: "Workflow submitted.",
        workflow_id: expect.any(String),
        workflow_name: "twice",
        run_number: "1.1",
        status: "queued",
        user: ada.id,
      },
    ]);
    expect(id).not.toBe(run.id);
    await endNext(id);
    expect(await folderOf(id)).toBe(await folderOf(run.id));
    const [job] = await jobsOfRun(db, id);
    expect(api.backend.folders[api.backend.started.indexOf(job!.id)]).toBe(await folderOf(run.id));
    expect(await maybeRun(db, run.id)).toMatchObject({ status: "failed" });
    expect((await runEvents(db, id))[0]).toMatchObject({ kind: "start", body: { restart_of: run.id } });
  });

  test("can be restarted, each with the next number, whichever run of them is named", async () => {
    const run = await ranOnce("often");
    const first = await restarted(run.name);
    await endNext(first.id, 1);
    const second = await restarted(first.name);
    await endNext(second.id);
    const third = await restarted(run.id);
    await endNext(third.id);
    // A name without a number is the newest run.
    const fourth = await restarted("often");
    await endNext(fourth.id);
    const numbers = [first, second, third, fourth].map(({ number }) => number);
    expect(numbers).toEqual(["1.1", "1.2", "1.3", "1.4"]);
    expect((await createRun(api, ada, "often")).name).toBe("often.2");
  });

  test("through PUT status names the run with its number", async () => {
    const run = await ranOnce("put");
    const reply = await changeStatus(api, ada, run.name, "start", { restart: true, fresh: true });
    expect(reply.json()).toMatchObject({ workflow_name: "put.1.1", status: "queued" });
    await endNext(reply.json<{ workflow_id: string }>().workflow_id);
  });

  test("is listed next to the original run", async () => {
    const run = await ranOnce("listed");
    await endNext((await restarted(run.id)).id);
    const reply = await api.inject(`/api/workflows?workflow_id_or_name=listed&type=batch&${T(ada)}`);
    const items = reply.json<{ items: { name: string; status: string }[] }>().items;
    expect(items.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "listed.1.1 finished",
      "listed.1 finished",
    ]);
  });

  test("of a run that was stopped continues", async () => {
    const run = await createRun(api, ada, "halted");
    await changeStatus(api, ada, run.id, "start");
    await untilStatus(api, ada, run.id, "running");
    await changeStatus(api, ada, run.id, "stop");
    await endNext((await restarted(run.id)).id);
  });
});

describe("a restart's specification and parameters", () => {
  const greet = serial(["echo ${who} ${n}"], { who: "you", n: 1 });

  test("parameters of the earlier start, overridden by those given now; options apply to one run", async () => {
    const start = { input_parameters: { who: "me" }, operational_options: { CACHE: "off" } };
    const run = await ranOnce("kept", greet, 0, start);
    const { id } = await restarted(run.id, { input_parameters: { n: 2 } });
    await endNext(id);
    expect(await oneDefinition(db, id)).toMatchObject({
      inputParameters: { who: "me", n: 2 },
      operationalOptions: {},
    });
    expect((await jobsOfRun(db, id))[0]?.command).toBe("echo me 2");
  });

  test("another specification, without undeclared parameters", async () => {
    const run = await ranOnce("changed", greet, 0, { input_parameters: { who: "me", n: 5 } });
    const reana_specification = serial(["printf ${n}"], { n: 7 });
    const { id } = await restarted(run.id, { reana_specification });
    await endNext(id);
    expect((await jobsOfRun(db, id))[0]?.command).toBe("printf 5");
    expect((await oneDefinition(db, run.id)).specification).toMatchObject({
      inputs: { parameters: { who: "you" } },
    });
  });
});

describe("a workspace", () => {
  test("has one live run: one of many concurrent restarts succeeds, and the others name the run in the way", async () => {
    const run = await ranOnce("race");
    await endNext((await restarted(run.id)).id);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => restart(index % 2 === 0 ? "race.1" : "race.1.1")),
    );
    const codes = replies.map((reply) => reply.statusCode);
    expect(codes.toSorted((a, b) => a - b)).toEqual([200, ...Array(7).fill(409)]);
    const refused = replies.find((reply) => reply.statusCode === 409)!;
    expect(refused.json<{ message: string }>().message).toMatch(
      /^Workflow race\.1(\.1)? could not be restarted because race\.1\.2, which shares its workspace, is \w+\. Wait for its end, or stop it first\.$/,
    );
    const winner = replies.find((reply) => reply.statusCode === 200)!;
    await endNext(winner.json<{ workflow_id: string }>().workflow_id);
  });

  test("has one live run by the table itself", async () => {
    const run = await ranOnce("table");
    const { id } = await restarted(run.id);
    await endNext(id);
    const force = (one: string) =>
      db.updateTable("runs").set({ status: "queued" }).where("id", "=", one).execute();
    await force(id);
    await expect(force(run.id)).rejects.toThrow(/unique/i);
    await db.updateTable("runs").set({ status: "finished" }).where("id", "=", id).execute();
  });

  test("is removed with the last run", async () => {
    const run = await ranOnce("last");
    const upload = (name: string) =>
      api.inject({
        method: "POST",
        url: `/api/workflows/last.1.1/workspace?file_name=${name}&${T(ada)}`,
        payload: "x",
      });
    const again = await restarted(run.id);
    await endNext(again.id);
    await upload("a.txt");
    const folder = await folderOf(run.id);
    await changeStatus(api, ada, run.id, "deleted");
    const download = `/api/workflows/last.1.1/workspace/a.txt?${T(ada)}`;
    expect([await isThere(folder), (await api.inject(download)).body]).toEqual([true, "x"]);
    // A deleted run shows no files, even while another run has the workspace.
    const ofDeleted = await api.inject(`/api/workflows/${run.id}/workspace?${T(ada)}`);
    expect(ofDeleted.statusCode).toBe(404);
    await changeStatus(api, ada, again.id, "deleted");
    expect(await isThere(folder)).toBe(false);
  });

  test("stays after the deletion of all runs of the name but a live run", async () => {
    const run = await ranOnce("crowd");
    const again = await restarted(run.id);
    await untilStatus(api, ada, again.id, "running");
    const all = await changeStatus(api, ada, run.id, "deleted", { all_runs: true });
    expect(all.statusCode).toBe(200);
    expect(await isThere(await folderOf(run.id))).toBe(true);
    await endNext(again.id);
  });

  test("that is kept by one run is not removed by an upload to another that was deleted in the meantime", async () => {
    const run = await ranOnce("late");
    await endNext((await restarted(run.id)).id);
    const { workspaces } = api.operations;
    const { of } = workspaces;
    const folder = await folderOf(run.id);
    const late = withVerbs(workspaces, (workspace) => ({
      async write(...call) {
        await transaction(db, (connection) =>
          moveStatus(connection, { runId: run.id, to: "deleted", by: "user", atMs: Date.now() }),
        );
        return workspace.write(...call);
      },
    }));
    Object.assign(workspaces, late);
    const url = `/api/workflows/${run.id}/workspace?file_name=b.txt&${T(ada)}`;
    const reply = await api.inject({ method: "POST", url, payload: "x" });
    Object.assign(workspaces, { of });
    expect([reply.statusCode, await isThere(folder)]).toEqual([404, true]);
  });
});

describe("the restarted run", () => {
  const recordOf = async (name: string) =>
    (await api.inject(`/api/workflows/${name}/status?${T(ada)}`)).json<Record<string, unknown>>();

  test("names the newest restart, in its status and in the list", async () => {
    const first = await ranOnce("again", serial(["true"]), 1);
    expect(await recordOf("again.1")).not.toHaveProperty("restarted_as");
    const second = await restarted("again.1");
    await endNext(second.id);
    const named = { workflow_id: second.id, workflow_name: "again.1.1", status: "finished" };
    expect(await recordOf("again.1")).toMatchObject({ restarted_as: named });
    expect(await recordOf("again.1.1")).not.toHaveProperty("restarted_as");
    expect((await recordOf("again.1.1"))["restart_of"]).toEqual({
      workflow_id: first.id,
      workflow_name: "again.1",
    });
    expect(await recordOf("again.1")).not.toHaveProperty("restart_of");
    const list = await api.inject(`/api/workflows?workflow_id_or_name=again&size=10&${T(ada)}`);
    const { items } = list.json<{ items: readonly { id: string; restarted_as?: unknown }[] }>();
    expect(Object.fromEntries(items.map((run) => [run.id, run.restarted_as]))).toEqual({
      [first.id]: named,
      [second.id]: undefined,
    });
    await changeStatus(api, ada, second.id, "deleted");
    expect(await recordOf("again.1")).not.toHaveProperty("restarted_as");
  });
});
