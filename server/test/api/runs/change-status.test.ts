import { afterAll, describe, expect, test } from "vitest";
import { type Scheduler, UNOBSTRUCTED } from "#scheduler/scheduler";
import { transaction } from "#store/database/database";
import { jobsOfRun } from "#store/jobs/jobs";
import { runEvents } from "#store/events/run-events";
import { moveRun as moveStatus } from "#store/runs/move-run";
import { maybeRun, oneDefinition } from "#store/runs/runs";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
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

/** A scheduler that admits no run: started runs stay queued. */
const stops: string[] = [];
const idleScheduler: Scheduler = {
  start: async () => undefined,
  wake: () => undefined,
  stop: async (runId, waitMs) => void stops.push(`${runId} ${waitMs}`),
  drain: async () => undefined,
  endDrain: () => undefined,
  draining: () => "no",
  hostStatus: () => UNOBSTRUCTED,
  activeRuns: () => 0,
  close: async () => undefined,
};

const idle = await apiFixture({ operations: { scheduler: idleScheduler } });
const live = await apiFixture();
afterAll(() => Promise.all([idle.close(), live.close()]));

const answer = (user: FixtureUser, run: CreatedRun, status: string, message: string) => ({
  message,
  workflow_id: run.id,
  workflow_name: run.name,
  status,
  user: user.id,
});
const could = (run: CreatedRun, verb: string, reason: string) =>
  `Workflow ${run.name} could not be ${verb} because ${reason}`;

describe("PUT status of a run that has not started", async () => {
  const api = idle;
  const { db } = api.operations;
  const ada = await api.makeUser();
  const put = (run: string, word: string, body?: object) => ({
    method: "PUT" as const,
    url: `/api/workflows/${run}/status?status=${word}&${T(ada)}`,
    ...(body && { body }),
  });
  const fresh = await createRun(api, ada, "fresh", serial(["echo ${who}"], { who: "you" }));
  const plain = await createRun(api, ada, "plain");
  await createRun(api, ada, "broken", serial(["echo ${nobody}"]));
  const step = { name: "s", environment: "any", commands: ["true"], kubernetes_job_timeout: "x" };
  await createRun(api, ada, "limits", { workflow: { type: "serial", specification: { steps: [step] } } });
  await createRun(api, ada, "snake", { inputs: {}, workflow: { type: "snakemake", file: "Snakefile" } });
  const words = "start, stop, deleted";
  await runScenarios(api, [
    ...(await refusalRows(api, "PUT", fresh, (address) => `/api/workflows/${address}/status?status=start`)),
    {
      name: "no status",
      method: "PUT",
      url: `/api/workflows/fresh/status?${T(ada)}`,
      status: 400,
      reply: `No status was given. Add the query parameter status, one of: ${words}.`,
    },
    {
      name: "a start with a limit that cannot be read",
      ...put("limits", "start"),
      status: 400,
      reply:
        "Workflow limits.1 could not be started. " +
        'Step 1: kubernetes_job_timeout is "x"; it must be a number of seconds above 0.',
    },
    { name: "an empty status", ...put("fresh", ""), status: 400 },
    {
      name: "another word",
      ...put("fresh", "pause"),
      status: 501,
      reply: `Status pause is not one of: ${words}`,
    },
    { name: "a word that every object knows", ...put("fresh", "constructor"), status: 501 },
    { name: "a body that is no object", ...put("fresh", "start", []), status: 400 },
    {
      name: "parameters that are no object",
      ...put("fresh", "start", { input_parameters: [] }),
      status: 400,
      reply: "Field 'input_parameters': must be object or null.",
    },
    {
      name: "a parameter that the specification does not know",
      ...put("fresh", "start", { input_parameters: { x: 1 } }),
      status: 400,
      reply: 'Input parameter "x" is not present in reana.yaml',
    },
    {
      name: "a parameter that every object knows",
      ...put("fresh", "start", { parameters: { toString: 1 } }),
      status: 400,
      reply: 'Input parameter "toString" is not present in reana.yaml',
    },
    {
      name: "an option that nothing knows",
      ...put("fresh", "start", { operational_options: { SPEED: "high" } }),
      status: 400,
      reply: '==> ERROR: Operational option "SPEED" not supported.',
    },
    {
      name: "an option of another language",
      ...put("fresh", "start", { operational_options: { toplevel: "x" } }),
      status: 400,
      reply: '==> ERROR: Operational option "toplevel" not supported for serial workflows.',
    },
    {
      name: "a command that cannot be expanded",
      ...put("broken", "start"),
      status: 400,
      reply:
        'Workflow broken.1 could not be started. Command 1 of step 1 ("s0") uses the parameter "nobody", which is ' +
        "not defined. Define it under inputs.parameters, or write $$nobody if the shell is to expand it.",
    },
    {
      name: "a language that cannot be run here",
      ...put("snake", "start"),
      status: 501,
      reply:
        "Workflow snake.1 could not be started: this server cannot run snakemake workflows (it runs: serial, cwl, yadage). " +
        "To run them, run `reprise setup snakemake` on its machine and try again, or start the server with Snakemake in its PATH " +
        "or with --snakemake PROGRAM.",
    },
    {
      name: "stop of what was not started",
      ...put("fresh", "stop"),
      status: 409,
      reply: could(fresh, "stopped", "it has not been started."),
    },
    {
      name: "delete, but keep the workspace",
      ...put("fresh", "deleted", { workspace: false }),
      status: 400,
      reply: "Workspace must always be deleted when deleting a workflow.",
    },
    {
      name: "start",
      ...put("fresh", "start", {
        input_parameters: { who: "me" },
        operational_options: { CACHE: "off" },
        restart: false,
      }),
      status: 200,
      reply: answer(ada, fresh, "queued", "Workflow submitted."),
    },
    {
      name: "start again",
      ...put("fresh", "start"),
      status: 409,
      reply: could(fresh, "started", "it has already been queued."),
    },
    {
      name: "delete while it is queued",
      ...put("fresh", "deleted"),
      status: 409,
      reply: could(fresh, "deleted", "it is queued. Stop it first."),
    },
    {
      name: "stop while it is queued",
      ...put("fresh", "stop", { force_stop: true }),
      status: 200,
      reply: answer(ada, fresh, "stopped", "Workflow successfully stopped"),
    },
    {
      name: "stop again",
      ...put("fresh.1", "stop"),
      status: 200,
      reply: answer(ada, fresh, "stopped", "Workflow successfully stopped"),
    },
    {
      name: "start what was stopped",
      ...put("fresh", "start"),
      status: 409,
      reply: could(fresh, "started", "it was stopped. Restart it to run it once more."),
    },
    {
      name: "delete",
      ...put("fresh", "deleted", { all_runs: false, workspace: true }),
      status: 200,
      reply: answer(ada, fresh, "deleted", "Workflow successfully deleted."),
    },
    {
      name: "delete again",
      ...put(fresh.id, "deleted"),
      status: 200,
      reply: answer(ada, fresh, "deleted", "Workflow successfully deleted."),
    },
    {
      name: "delete again, by name",
      ...put("fresh", "deleted"),
      status: 200,
      reply: answer(ada, fresh, "deleted", "Workflow successfully deleted."),
    },
    {
      name: "start what was deleted",
      ...put(fresh.id, "start"),
      status: 409,
      reply: could(fresh, "started", "it was deleted. Create it again to run it."),
    },
    {
      name: "stop what was deleted",
      ...put(fresh.id, "stop"),
      status: 409,
      reply: could(fresh, "stopped", "it was deleted."),
    },
    {
      name: "without a body or its type",
      ...put(plain.id.toUpperCase(), "start"),
      status: 200,
      reply: answer(ada, plain, "queued", "Workflow submitted."),
    },
  ] satisfies Scenario[]);

  test("a run that was stopped in the queue has its whole history, and never ran", async () => {
    const events = await runEvents(db, fresh.id);
    expect(events).toMatchObject([
      { seq: 0, kind: "start", body: { parameters: { who: "me" }, options: { CACHE: "off" } } },
      {
        seq: 1,
        kind: "stopped",
        log: expect.stringMatching(/ \| INFO \| The run was stopped before it started\.\n$/),
      },
    ]);
    expect(await oneDefinition(db, fresh.id)).toMatchObject({
      inputParameters: { who: "me" },
      operationalOptions: { CACHE: "off" },
    });
    expect(await jobsOfRun(db, fresh.id)).toEqual([]);
  });

  test("the names of the first clients mean the same", async () => {
    const run = await createRun(api, ada, "older", serial(["echo ${who}"], { who: "you" }));
    await changeStatus(api, ada, run.id, "start", {
      parameters: { who: "us" },
      operational_parameters: { FROM: "s0" },
    });
    expect(await oneDefinition(db, run.id)).toMatchObject({
      inputParameters: { who: "us" },
      operationalOptions: { FROM: "s0" },
    });
  });

  test("stopping a running run asks the scheduler, with the time to wait", async () => {
    const run = await createRun(api, ada, "told");
    await changeStatus(api, ada, run.id, "start");
    await transaction(db, (connection) =>
      moveStatus(connection, { runId: run.id, to: "pending", by: "scheduler", atMs: 5 }),
    );
    const reply = await changeStatus(api, ada, run.id, "stop");
    expect(stops).toEqual([`${run.id} 10000`]);
    const message =
      "Workflow told.1 is being stopped: its processes have not all ended yet. Check its status again.";
    expect(reply.json()).toEqual(answer(ada, run, "pending", message));
    expect(await maybeRun(db, run.id)).toMatchObject({ stopRequestedAtMs: expect.any(Number) });
  });

  test("one of many concurrent starts succeeds", async () => {
    const run = await createRun(api, ada, "race");
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => changeStatus(api, ada, run.id, "start")),
    );
    const codes = replies.map((reply) => reply.statusCode);
    expect(codes.toSorted((a, b) => a - b)).toEqual([200, ...Array(7).fill(409)]);
    expect((await runEvents(db, run.id)).map(({ kind }) => kind)).toEqual(["start"]);
  });

  test("inputs that are no object know no parameter", async () => {
    const specification = { ...serial(["true"]), inputs: { parameters: null } };
    const run = await createRun(api, ada, "nulls", specification);
    const refused = await changeStatus(api, ada, run.id, "start", { input_parameters: { x: 1 } });
    expect(refused.json()).toMatchObject({ message: 'Input parameter "x" is not present in reana.yaml' });
    expect((await changeStatus(api, ada, run.id, "start")).statusCode).toBe(200);
  });
});

describe("PUT status of a running run", async () => {
  const api = live;
  const { db } = api.operations;
  const ada = await api.makeUser();

  test("a run is started, refuses wrong changes, and is stopped with all jobs", async () => {
    const run = await createRun(api, ada, "live", serial(["live one"]));
    await changeStatus(api, ada, run.id, "start");
    await untilStatus(api, ada, run.id, "running");
    const again = await changeStatus(api, ada, run.name, "start");
    const refused = (why: string) => ({ message: `Workflow live.1 could not be ${why}`, code: "run-live" });
    const startedAlready = refused("started because it is already running.");
    expect([again.statusCode, again.json()]).toEqual([409, startedAlready]);
    const deleted = await changeStatus(api, ada, run.name, "deleted");
    const running = "deleted because it is currently running. Stop it first.";
    expect([deleted.statusCode, deleted.json()]).toEqual([409, refused(running)]);
    const stopped = await changeStatus(api, ada, run.name, "stop");
    expect(stopped.json()).toEqual(answer(ada, run, "stopped", "Workflow successfully stopped"));
    expect(await jobsOfRun(db, run.id)).toMatchObject([{ status: "stopped" }]);
  });

  test("a finished run cannot be started or stopped", async () => {
    const run = await createRun(api, ada, "done", serial(["done one"]));
    await changeStatus(api, ada, run.id, "start");
    await untilStatus(api, ada, run.id, "running");
    api.backend.end((await jobsOfRun(db, run.id))[0]!.id);
    await untilStatus(api, ada, run.id, "finished");
    for (const [word, reason] of [
      ["start", could(run, "started", "it has already finished. Restart it to run it once more.")],
      ["stop", could(run, "stopped", "it has already finished.")],
    ] as const) {
      const reply = await changeStatus(api, ada, run.id, word);
      expect([reply.statusCode, reply.json()]).toEqual([
        409,
        { message: reason, code: expect.stringMatching(/^run-/) },
      ]);
    }
  });
});
