import { afterAll, describe, expect, test } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { LIMITS } from "../../support/server-parts.ts";
import { changeStatus, createRun, refusalRows, serial, T, untilStatus } from "../../support/run-rows.ts";

const LIMIT = 4000;
const api = await apiFixture({ parts: { limits: { ...LIMITS, maxLogBytesInReply: LIMIT } } });
afterAll(() => api.close());
const { db } = api.operations;
const ada = await api.makeUser();

/** A run with a finished first job and a running second job. */
const run = await createRun(api, ada, "w", serial(["echo one", "echo two"]));
await changeStatus(api, ada, run.id, "start");
await untilStatus(api, ada, run.id, "running");
const [first] = await jobsOfRun(db, run.id);
api.backend.end(first!.id);
const secondId = await api.backend.startedJob(1);
const created = await createRun(api, ada, "created");

interface LogsReply {
  readonly logs: string;
}

interface Logs {
  readonly workflow_logs: string | null;
  readonly job_logs: Readonly<Record<string, { readonly logs: string; readonly [key: string]: unknown }>>;
  readonly service_logs?: object;
  readonly engine_specific: null;
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/) as string;
const jobRecord = (name: string, command: string, status: string, finishedAt: string | null) => ({
  workflow_uuid: run.id,
  job_name: name,
  compute_backend: "Fake",
  backend_job_id: expect.any(String) as string,
  docker_img: "any",
  cmd: command,
  status,
  logs: `log of ${command}\n`,
  started_at: time,
  finished_at: finishedAt,
});

async function logsOf(query = "", steps?: readonly string[]): Promise<Logs> {
  const reply = await api.inject({
    url: `/api/workflows/w/logs?${T(ada)}${query}`,
    ...(steps && { payload: JSON.stringify(steps), headers: { "content-type": "application/json" } }),
  });
  return JSON.parse(reply.json<LogsReply>().logs) as Logs;
}

describe("GET logs", async () => {
  const url = `/api/workflows/w/logs?${T(ada)}`;
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", run, (address) => `/api/workflows/${address}/logs`)),
    { name: "page 0", url: `${url}&page=0`, status: 400 },
    { name: "steps that are no list", url, body: { a: 1 }, status: 200 },
    { name: "steps that are no names", url, body: [1], status: 400 },
    {
      name: "steps that are no JSON",
      url,
      body: "[",
      headers: { "content-type": "application/json" },
      status: 400,
    },
    {
      name: "of a run that was not started",
      url: `/api/workflows/created/logs?${T(ada)}`,
      status: 200,
      reply: {
        workflow_id: created.id,
        workflow_name: "created.1",
        user: ada.id,
        live_logs_enabled: true,
        logs: '{"workflow_logs":"","job_logs":{},"service_logs":{},"engine_specific":null}',
      },
    },
  ]);

  test("returns everything, with exactly ten keys per job, in the order of the jobs", async () => {
    const logs = await logsOf();
    expect(Object.keys(logs)).toEqual(["workflow_logs", "job_logs", "service_logs", "engine_specific"]);
    expect(logs.workflow_logs).toMatch(
      / \| root \| MainThread \| INFO \| Publishing step:0, cmd: echo one, total steps 2 to MQ\n/,
    );
    expect(Object.keys(logs.job_logs)).toEqual([first!.id, secondId]);
    expect(Object.values(logs.job_logs)).toEqual([
      jobRecord("s0", "echo one", "finished", time),
      jobRecord("s1", "echo two", "running", null),
    ]);
  });

  test("returns the logs of some steps, without the engine's", async () => {
    const logs = await logsOf("", ["s1", "s7"]);
    expect(logs).toEqual({
      workflow_logs: null,
      job_logs: { [secondId]: jobRecord("s1", "echo two", "running", null) },
      engine_specific: null,
    });
  });

  test("no steps are all steps", async () => {
    expect(Object.keys((await logsOf("", [])).job_logs)).toHaveLength(2);
  });

  test("returns pages of jobs", async () => {
    expect(Object.keys((await logsOf("&page=2&size=1")).job_logs)).toEqual([secondId]);
    expect(Object.keys((await logsOf("&page=3&size=1")).job_logs)).toEqual([]);
  });

  test("are bounded as a whole, and say where something is left out", async () => {
    const long = await createRun(api, ada, "long", serial([`echo ${"x".repeat(3 * LIMIT)}`]));
    await changeStatus(api, ada, long.id, "start");
    await untilStatus(api, ada, long.id, "running");
    const reply = await api.inject({ url: `/api/workflows/long/logs?${T(ada)}` });
    const logs = JSON.parse(reply.json<LogsReply>().logs) as Logs;
    const [job] = Object.values(logs.job_logs);
    expect(logs.workflow_logs).toMatch(/^\[Earlier output is left out here/);
    expect(job!.logs).toMatch(/^\[Earlier output is left out here[^\n]*\nx+\n$/);
    expect(logs.workflow_logs!.length + job!.logs.length).toBeLessThan(LIMIT + 500);
    await changeStatus(api, ada, long.id, "stop");
  });
});

describe("the engine's log of a run that REANA would refuse", () => {
  const odd = {
    version: 1,
    inputs: { files: ["a", "a"] },
    workflow: { type: "serial", specification: { steps: [{ commands: ["true"], odd: 1 }] } },
  };
  const FIRST_LINES = [
    "WARNING | The specification, at version: 1 is not of type 'string'",
    "WARNING | The specification, at workflow.specification.steps.0: 'environment' is a required property",
    "WARNING | The specification, at inputs.files.1: Input path declared multiple times: a",
  ];
  const linesOf = async (name: string) => {
    const reply = await api.inject({ url: `/api/workflows/${name}/logs?${T(ada)}` });
    const { workflow_logs } = JSON.parse(reply.json<LogsReply>().logs) as Logs;
    return workflow_logs!.split("\n").map((line) => line.slice(line.indexOf("MainThread | ") + 13));
  };

  test("begins with the warnings of the creation, and so does a restart's log", async () => {
    const refused = await createRun(api, ada, "odd", odd);
    const begun = api.backend.started.length;
    await changeStatus(api, ada, refused.id, "start");
    expect((await linesOf("odd.1")).slice(0, 3)).toEqual(FIRST_LINES);
    api.backend.end(await api.backend.startedJob(begun));
    await untilStatus(api, ada, refused.id, "finished");
    const url = `/api/workflows/odd/start?${T(ada)}`;
    await api.inject({ method: "POST", url, payload: { restart: true } });
    expect((await linesOf("odd.1.1")).slice(0, 3)).toEqual(FIRST_LINES);
  });
});

describe("GET status", async () => {
  const group = (...ids: string[]) => ({ total: ids.length, job_ids: ids });
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", run, (address) => `/api/workflows/${address}/status`)),
    {
      name: "of a run that was not started",
      url: `/api/workflows/created/status?${T(ada)}`,
      status: 200,
      reply: {
        id: created.id,
        name: "created.1",
        created: time,
        status: "created",
        progress: {
          run_started_at: null,
          run_finished_at: null,
          run_stopped_at: null,
          wall_ms: null,
          total: group(),
          running: group(),
          finished: group(),
          failed: group(),
          current_command: null,
          current_step_name: null,
          current_label: null,
        },
        user: ada.id,
        logs: "{}",
      },
    },
    ...["w", "w.1", "w.", "w.1.0", run.id, run.id.toUpperCase()].map((address) => ({
      name: `by ${address.length > 6 ? "UUID" : address}`,
      url: `/api/workflows/${address}/status?${T(ada)}`,
      status: 200,
      reply: {
        id: run.id,
        name: "w.1",
        created: time,
        status: "running",
        progress: {
          run_started_at: time,
          run_finished_at: null,
          run_stopped_at: null,
          wall_ms: null,
          total: group(first!.id, secondId),
          running: group(secondId),
          finished: group(first!.id),
          failed: group(),
          current_command: "echo two",
          current_step_name: "s1",
          current_label: "s1",
        },
        user: ada.id,
        logs: expect.stringContaining('"job_name":"s0"'),
      },
    })),
    ...["w.2", "w.1.1", "w.01x", "W", "w.1.1.1", "w.-1"].map((address) => ({
      name: `nothing at ${address}`,
      url: `/api/workflows/${address}/status?${T(ada)}`,
      status: 404,
    })),
  ]);
});

describe("at every moment of a run", () => {
  interface StatusReply {
    readonly status: string;
    readonly logs: string;
    readonly progress: Readonly<
      Record<"total" | "running" | "finished" | "failed", { total: number; job_ids: string[] }>
    > & {
      readonly current_command: string | null;
      readonly run_started_at: string | null;
      readonly run_finished_at: string | null;
    };
  }
  const statusReply = async (name: string) =>
    (await api.inject({ url: `/api/workflows/${name}/status?${T(ada)}` })).json<StatusReply>();
  const logsReply = async (name: string) => {
    const reply = await api.inject({ url: `/api/workflows/${name}/logs?${T(ada)}` });
    return JSON.parse(reply.json<LogsReply>().logs) as Logs;
  };

  test("status, progress and logs are true", async () => {
    const commands = ["echo one", "echo two", "exit 1", "never"];
    const steps = await createRun(api, ada, "steps", serial(commands));
    const begun = api.backend.started.length;
    await changeStatus(api, ada, steps.id, "start");
    const ids: string[] = [];
    for (const [index, command] of commands.slice(0, 3).entries()) {
      ids.push(await api.backend.startedJob(begun + index));
      const id = ids[index]!;
      await expect.poll(async () => (await statusReply("steps")).progress.running.job_ids).toEqual([id]);
      const { status, progress } = await statusReply("steps");
      expect([status, progress.current_command, progress.run_finished_at]).toEqual([
        "running",
        command,
        null,
      ]);
      expect(progress.run_started_at).toEqual(time);
      expect(progress.total).toEqual({ total: commands.length, job_ids: ids });
      expect(progress.finished.job_ids).toEqual(ids.slice(0, -1));
      expect(progress.failed.job_ids).toEqual([]);
      for (const line of ["a\n", "b\n"]) {
        api.backend.print(id, line);
        const printed = `log of ${command}\n${line === "a\n" ? "a\n" : "a\nb\n"}`;
        const logs = await logsReply("steps");
        expect(logs.job_logs[id]).toMatchObject({ status: "running", logs: printed, finished_at: null });
        expect(logs.workflow_logs).toContain(`cmd: ${command}, total steps 4`);
        const ofStatus = JSON.parse((await statusReply("steps")).logs) as Logs["job_logs"];
        expect(ofStatus[id]).toMatchObject({ status: "running", logs: printed });
      }
      api.backend.end(id, { exitCode: index === 2 ? 1 : 0 });
    }
    await untilStatus(api, ada, steps.id, "failed");
    const { progress } = await statusReply("steps");
    expect(progress.failed.job_ids).toEqual([ids[2]]);
    expect(progress.running.job_ids).toEqual([]);
    expect([progress.current_command, progress.total.total]).toEqual(["exit 1", 4]);
    expect(progress.run_finished_at).toEqual(time);
    expect((await logsReply("steps")).workflow_logs).toContain(
      'Step "s2" failed: its command exited with code 1.',
    );
  });

  test("a status holds the output of the newest jobs, and counts all", async () => {
    const count = 25;
    const many = await createRun(
      api,
      ada,
      "many",
      serial(Array.from({ length: count }, (_, at) => `echo ${at}`)),
    );
    const begun = api.backend.started.length;
    await changeStatus(api, ada, many.id, "start");
    for (let at = 0; at < count; at += 1) api.backend.end(await api.backend.startedJob(begun + at));
    await untilStatus(api, ada, many.id, "finished");
    const { logs, progress } = await statusReply("many");
    const shown = Object.values(JSON.parse(logs) as Logs["job_logs"]).map((job) => job["cmd"]);
    expect(shown).toEqual(Array.from({ length: 20 }, (_, at) => `echo ${at + 5}`));
    expect(progress.finished.job_ids).toHaveLength(count);
    expect(Object.keys((await logsReply("many")).job_logs)).toHaveLength(count);
  });
});

describe("after its end", () => {
  test("a stopped run has a stop time; a deleted run keeps the records, and reports the removal of the output", async () => {
    await changeStatus(api, ada, run.id, "stop");
    await changeStatus(api, ada, run.id, "deleted");
    const status = await api.inject({ url: `/api/workflows/w.1/status?${T(ada)}` });
    expect(status.json()).toMatchObject({
      status: "deleted",
      progress: {
        run_started_at: time,
        run_stopped_at: time,
        wall_ms: expect.any(Number),
        run_finished_at: time,
        current_command: "echo two",
        current_step_name: "s1",
      },
    });
    const logs = await logsOf();
    expect(logs.workflow_logs).toContain("The run was stopped.");
    expect(Object.values(logs.job_logs).map((job) => job.logs)).toEqual(
      Array(2).fill("[The log of this job was removed when its run was deleted.]\n"),
    );
  });
});
