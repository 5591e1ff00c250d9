import { appendFile } from "node:fs/promises";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import { engineLog } from "#store/events/run-events";
import { maybeRun } from "#store/runs/runs";
import { ALL, type PlannedJob, reuseFixture } from "../../support/scenarios/reuse-fixture.ts";
import { changeStatus, T } from "../../support/run-rows.ts";

const fixture = await reuseFixture();
const { api, db, ada, ran, upload, fileOf, restart, planOf } = fixture;

beforeEach(() => fixture.ranNow());
afterAll(() => fixture.close());

describe("the options of a restart", () => {
  test("fresh: everything runs", async () => {
    const again = await restart(await ran(), { fresh: true });
    expect([again.steps, again.reason]).toEqual([ALL, "The run was asked to run everything."]);
    expect((await restart(again.id)).steps).toEqual([]);
  });

  test("CACHE off: everything runs", async () => {
    expect((await restart(await ran(), { operational_options: { CACHE: "off" } })).steps).toEqual(ALL);
  });

  test("FROM and TARGET are REANA's: the selected part runs, and no other job exists", async () => {
    const id = await ran();
    const from = await restart(id, { operational_options: { FROM: "fit" } });
    expect([from.steps, (await jobsOfRun(db, from.id)).length]).toEqual([["fit", "plot"], 2]);
    const target = await restart(await ran(), { operational_options: { TARGET: "fit" } });
    expect([target.steps, (await jobsOfRun(db, target.id)).length]).toEqual([[], 2]);
  });

  test("from_step: runs from there on, and takes over the valid steps before", async () => {
    const id = await ran();
    const again = await restart(id, { from_step: "FIT" });
    expect([again.steps, again.reason]).toEqual([
      ["fit", "plot"],
      'The run was asked to run everything from the step "FIT" on.',
    ]);
    expect((await jobsOfRun(db, again.id)).map((job) => job.reason)).toEqual([
      "taken-over",
      "exited",
      "exited",
    ]);
    expect((await restart(again.id)).steps).toEqual([]);
  });

  test("from_step: invalid steps before are left out, and the record says so", async () => {
    const id = await ran();
    await upload(id, "data/in.txt", "another\n");
    const again = await restart(id, { from_step: "plot" });
    expect([again.steps, (await jobsOfRun(db, again.id)).map((job) => job.name)]).toEqual([
      ["plot"],
      ["plot"],
    ]);
    const after = await restart(again.id);
    expect([after.steps, after.reason]).toEqual([
      ALL,
      expect.stringMatching(/^w\d+\.1\.1 did not reach it\.$/),
    ]);
  });

  test("from_step: a missing step is refused", async () => {
    const url = `/api/workflows/${await ran()}/start?${T(ada)}`;
    const payload = { restart: true, from_step: "nobody" };
    const reply = await api.inject({ method: "POST", url, payload });
    expect([reply.statusCode, reply.json()]).toEqual([
      400,
      {
        message: expect.stringMatching(
          /^Workflow w\d+\.1 could not be restarted\. There is no step "nobody" to start from \(the steps: prepare, fit, plot\)\.$/,
        ),
        code: "malformed",
      },
    ]);
  });
});

describe("the steps that were taken over", () => {
  test("are shown in the engine's log, in the logs of their jobs, and in the progress", async () => {
    const id = await ran();
    const again = await restart(id, { input_parameters: { n: 2 } });
    const log = await engineLog(db, again.id);
    expect(log).toMatch(
      /cmd: echo prepare .* is not run\. Taken over from w\d+\.1: its command, its settings and the/,
    );
    expect(log).toMatch(/cmd: echo fit .* is the first to run\. parameters\.n has changed since w\d+\.1\./);
    const reply = await api.inject(`/api/workflows/${again.id}/logs?${T(ada)}`);
    const { job_logs: jobs } = JSON.parse(reply.json<{ logs: string }>().logs) as {
      job_logs: Record<string, { logs: string; status: string }>;
    };
    const [prepare, fit] = Object.values(jobs);
    expect([prepare!.status, prepare!.logs]).toEqual([
      "finished",
      expect.stringMatching(/^\[Taken over from w\d+\.1: .*\]\nlog of echo prepare /),
    ]);
    expect(fit!.logs).toMatch(/^log of echo fit/);
  });

  test("is among the jobs, with the reason, and shows the log of the job that ran", async () => {
    const id = await ran();
    const again = await restart(id, { input_parameters: { n: 2 } });
    const { items } = (await api.inject(`/api/workflows/${again.id}/jobs?${T(ada)}`)).json<{
      items: {
        id: string;
        reason: string;
        taken_from: string | null;
        decision: { kind: string; sentence: string; facts: { field: string }[] } | null;
        detail: string;
        log_bytes: number;
      }[];
    }>();
    const [first] = await jobsOfRun(db, id);
    expect(items.map((job) => [job.reason, job.taken_from])).toEqual([
      ["taken-over", first!.id],
      ["exited", null],
      ["exited", null],
    ]);
    expect(items.map(({ decision }) => [decision?.kind, decision?.facts.map(({ field }) => field)])).toEqual([
      ["taken-over", expect.arrayContaining(["command", "inputs data/in.txt", "files out/prepared"])],
      ["changed", ["parameters.n"]],
      ["follows", ["first_to_run"]],
    ]);
    expect(items[0]!.decision?.sentence).toBe(items[0]!.detail);
    expect(items[0]).toMatchObject({ detail: expect.stringMatching(/^Taken over from w\d+\.1: /) });
    const log = await api.inject(`/api/workflows/${again.id}/jobs/${items[0]!.id}/log?${T(ada)}`);
    expect([log.body.length, log.body]).toEqual([
      items[0]!.log_bytes,
      expect.stringMatching(/^log of echo prepare/),
    ]);
  });

  test("stays readable after the deletion of the deciding run", async () => {
    const id = await ran();
    const again = await restart(id);
    await changeStatus(api, ada, id, "deleted");
    const third = await restart(again.id);
    expect(third.steps).toEqual([]);
    const reply = await api.inject(`/api/workflows/${third.id}/logs?${T(ada)}`);
    expect(reply.json<{ logs: string }>().logs).toContain("log of echo prepare");
  });
});

describe("the plan", () => {
  test("changes nothing, shows values before and now, and is the same by GET", async () => {
    const id = await ran();
    const { name } = (await maybeRun(db, id))!;
    await appendFile(await fileOf(id, "data/in.txt"), "more\n");
    const posted = await planOf(id);
    const got = (await api.inject(`/api/workflows/${id}/restart-plan?${T(ada)}`)).json<typeof posted>();
    expect(got).toEqual(posted);
    expect(posted).toMatchObject({ previous: `${name}.1`, taken_over: 0, runs: 3 });
    const [change] = posted.jobs[0]!.differences;
    expect(change).toEqual({
      field: "inputs data/in.txt",
      before: expect.stringMatching(/^[0-9a-f]{64}$/),
      now: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(posted.jobs[0]).toMatchObject({ kind: "changed", facts: [change] });
    expect(posted.jobs[1]).toMatchObject({
      kind: "follows",
      facts: [{ field: "first_to_run", before: null, now: "0.0" }],
    });
    expect(await db.selectFrom("runs").select("id").where("name", "=", name).execute()).toHaveLength(1);
    expect(await fixture.ranNow()).toEqual([]);
  });

  test("shows the effect of fresh and from_step, by GET", async () => {
    const id = await ran();
    const verdicts = async (query: string) => {
      const reply = await api.inject(`/api/workflows/${id}/restart-plan?${query}&${T(ada)}`);
      return reply.json<{ jobs: PlannedJob[] }>().jobs.map((job) => job.verdict);
    };
    expect(await verdicts("")).toEqual(["taken-over", "taken-over", "taken-over"]);
    expect(await verdicts("fresh=true")).toEqual(["runs", "runs", "runs"]);
    expect(await verdicts("from_step=plot")).toEqual(["taken-over", "taken-over", "runs"]);
  });
});
