import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, onTestFinished, test } from "vitest";
import { runsOnFakeBackend } from "../support/scenarios/runs-on-fake-backend.ts";
import { maybeWaitingFor } from "#operations/watch/waiting-for";
import { jobsOfRun } from "#store/jobs/jobs";
import { insertJob, newJob } from "#store/store-suite";
import { requestStop } from "#store/runs/runs";
import type { FakeBackend } from "../support/fakes/fake-backend.ts";
import { isOver, type RunFixture } from "../support/run-fixture.ts";
import { runnable } from "../support/server-parts.ts";
import { surveyEngine } from "../support/engines/survey-engine.ts";
import { surveySpecification } from "../support/engines/surveys.ts";
import { evaluateTiny } from "../support/engines/tiny-expressions.ts";
import type { Engine } from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";

const SURVEYS = [runnable(surveyEngine, evaluateTiny)] as const;
const LIST = { "list.txt": "red\ngreen\nblue\n" };
const SERIAL = runnable(serialEngine);
const THREE_AT_ONCE = runnable(engineOfJobs(["a", "b", "c"]));
const ONE_CORE = { cores: 1, memoryBytes: 2 ** 30 };

let backend: FakeBackend;
let fixture: RunFixture;

runsOnFakeBackend((opened) => void ({ backend, fixture } = opened));

const waitingFor = async (id: string) => maybeWaitingFor(fixture.db, await fixture.run(id));
/** Collects the `CRASH_POINTS` passed from now on. */
function crashPointsPassed(): readonly unknown[] {
  const passed: unknown[] = [];
  const note = (point: unknown) => void passed.push(point);
  subscribe("reprise:crash-point", note);
  onTestFinished(() => void unsubscribe("reprise:crash-point", note));
  return passed;
}
const statusesOfJobs = async (id: string) =>
  (await jobsOfRun(fixture.db, id)).map((job): string => job.status).toSorted();

describe("the choice of the next run", () => {
  test("many runs of one user do not delay the first of another", async () => {
    const bob = await fixture.addUser();
    for (let run = 0; run < 50; run += 1) await fixture.queue([`ada ${run}`]);
    await fixture.queue(["bob 0"], { ownerId: bob });
    await fixture.queue(["bob 1"], { ownerId: bob });
    await fixture.server({ maxRunsAtOnce: 2 }).start();
    await backend.startedJob(1);
    expect(backend.scripts.toSorted()).toEqual(["ada 0", "bob 0"]);
    backend.end(backend.started[backend.scripts.indexOf("bob 0")]!);
    await backend.startedJob(2);
    expect(backend.scripts[2]).toBe("bob 1");
  });

  test("users take turns, also where there is one run at a time", async () => {
    const bob = await fixture.addUser();
    for (let run = 0; run < 4; run += 1) await fixture.queue([`ada ${run}`]);
    for (let run = 0; run < 2; run += 1) await fixture.queue([`bob ${run}`], { ownerId: bob });
    await fixture.server({ maxRunsAtOnce: 1 }).start();
    for (let run = 0; run < 6; run += 1) backend.end(await backend.startedJob(run));
    expect(backend.scripts).toEqual(["ada 0", "bob 0", "ada 1", "bob 1", "ada 2", "ada 3"]);
  });

  test("a user alone leaves places for others, and the wait is explained", async () => {
    const bob = await fixture.addUser();
    const ids: string[] = [];
    for (let run = 0; run < 8; run += 1) ids.push(await fixture.queue([`ada ${run}`]));
    const server = fixture.server({ maxRunsAtOnce: 6 });
    await server.start();
    await backend.startedJob(2);
    const { scheduler } = server.operations;
    await expect
      .poll(async () => maybeWaitingFor(fixture.db, await fixture.run(ids[3]!), scheduler.hostStatus()))
      .toBe(
        "3 of your runs are active, and the places that are free are kept for other users. " +
          "The next one starts when one of yours ends.",
      );
    await fixture.queue(["bob 0"], { ownerId: bob });
    await fixture.queue(["bob 1"], { ownerId: bob });
    fixture.wake();
    await backend.startedJob(4);
    expect(backend.scripts.toSorted()).toEqual(["ada 0", "ada 1", "ada 2", "bob 0", "bob 1"]);
    for (const id of backend.started.slice(0, 3)) backend.end(id);
    await backend.startedJob(6);
    expect(backend.scripts.slice(5).toSorted()).toEqual(["ada 3", "ada 4"]);
  });

  test("the only user of a server has all places", async () => {
    for (let run = 0; run < 4; run += 1) await fixture.queue([`ada ${run}`]);
    await fixture.server({ maxRunsAtOnce: 4 }).start();
    await backend.startedJob(3);
    expect(backend.scripts).toHaveLength(4);
  });

  test("no user has more runs under way than allowed, and the others' continue", async () => {
    const bob = await fixture.addUser();
    const ids = [
      await fixture.queue(["ada 0"]),
      await fixture.queue(["ada 1"]),
      await fixture.queue(["ada 2"]),
    ];
    await fixture.server({ maxRunsAtOnce: 10, maxRunsPerUser: 2 }).start();
    await backend.startedJob(1);
    await fixture.queue(["bob 0"], { ownerId: bob });
    fixture.wake();
    await backend.startedJob(2);
    expect(backend.scripts.toSorted()).toEqual(["ada 0", "ada 1", "bob 0"]);
    expect(await waitingFor(ids[2]!)).toBe(
      "The maximum number of runs is already running. Yours is next in your queue.",
    );
    for (const id of backend.started.slice()) backend.end(id);
    await backend.startedJob(3);
    expect(backend.scripts[3]).toBe("ada 2");
  });

  test("a queued run says how many are before it", async () => {
    const ids = [await fixture.queue(["a"]), await fixture.queue(["b"]), await fixture.queue(["c"])];
    await fixture.db.updateTable("runs").set({ queued_at: 1 }).where("id", "<>", ids[2]!).execute();
    expect(await waitingFor(ids[2]!)).toContain("2 of your runs are ahead of it in the queue.");
    expect(await waitingFor(ids[0]!)).toContain("Yours is next in your queue.");
  });
});

describe("jobs wait for a place on the machine", () => {
  const queueSurvey = () => fixture.queueSpecification(surveySpecification({ when: "false" }), LIST);

  test("the capacity is never exceeded, and every job runs", async () => {
    const id = await queueSurvey();
    await fixture.server({ capacity: { ...ONE_CORE, cores: 2 }, engines: SURVEYS }).start();
    await backend.startedJob(1);
    await expect.poll(() => statusesOfJobs(id)).toEqual(["created", "running", "running"]);
    expect((await fixture.run(id)).jobsRunning).toBe(2);
    backend.end(backend.started[0]!);
    await backend.startedJob(2);
    await expect.poll(() => statusesOfJobs(id)).toEqual(["finished", "running", "running"]);
    for (const job of backend.started) backend.end(job);
    const run = await fixture.until(id, isOver);
    expect(run).toMatchObject({ jobsFinished: 3, jobsRunning: 0 });
    expect(backend.started).toHaveLength(3);
  });

  test("a waiting job is submitted by the next server at its turn, and once", async () => {
    const id = await queueSurvey();
    const settings = { capacity: ONE_CORE, engines: SURVEYS };
    const old = fixture.server(settings);
    await old.start();
    const first = await backend.startedJob(0);
    await expect.poll(() => statusesOfJobs(id)).toEqual(["created", "created", "running"]);
    await old.close({ stopJobs: false });
    await fixture.server(settings).start();
    await fixture.until(id, ({ heldBy }) => heldBy === "host");
    expect(backend.started).toHaveLength(1);
    backend.end(first);
    for (const index of [1, 2]) backend.end(await backend.startedJob(index));
    expect(await fixture.until(id, isOver)).toMatchObject({ jobsFinished: 3, jobsRunning: 0 });
    expect(new Set(backend.started).size).toBe(3);
  });

  test("a stop ends waiting jobs without asking a backend", async () => {
    const id = await queueSurvey();
    const server = fixture.server({ capacity: ONE_CORE, engines: SURVEYS });
    await server.start();
    await backend.startedJob(0);
    await expect.poll(() => statusesOfJobs(id)).toEqual(["created", "created", "running"]);
    await requestStop(fixture.db, id, 5);
    await server.operations.scheduler.stop(id, 60_000);
    expect(await fixture.run(id)).toMatchObject({ status: "stopped", jobsRunning: 0 });
    expect(backend.started).toHaveLength(1);
    const reasons = (await jobsOfRun(fixture.db, id)).map((job) => `${job.reason}`).toSorted();
    expect(reasons).toEqual(["cancelled", "not-started", "not-started"]);
  });

  test("a run whose first jobs all wait has not begun and says why; its turn comes when another's job ends", async () => {
    const bob = await fixture.addUser();
    const adas = await fixture.queue(["ada"]);
    const server = fixture.server({ capacity: ONE_CORE });
    await server.start();
    await backend.startedJob(0);
    const bobs = await fixture.queue(["bob"], { ownerId: bob });
    fixture.wake();
    await fixture.until(bobs, ({ heldBy }) => heldBy !== null);
    const { scheduler } = server.operations;
    await expect
      .poll(async () => maybeWaitingFor(fixture.db, await fixture.run(bobs), scheduler.hostStatus()))
      .toBe("Its first job needs cores or memory that other jobs are using.");
    expect(await waitingFor(bobs)).toBe("Its first job has not begun.");
    expect(await waitingFor(adas)).toBeUndefined();
    backend.end(await backend.startedJob(0));
    backend.end(await backend.startedJob(1));
    for (const id of [adas, bobs]) await fixture.until(id, isOver);
    expect(await waitingFor(bobs)).toBeUndefined();
  });

  test("the status names the GPUs that a job waits for, and jobs without GPUs pass the job", async () => {
    const asking = (gpus: number) => ({
      workflow: {
        type: "serial" as const,
        specification: { steps: [{ name: "train", gpus, commands: [`train on ${gpus}`] }] },
      },
    });
    const server = fixture.server({ capacity: { cores: 4, memoryBytes: 2 ** 30, gpus: 2 } });
    await server.start();
    const first = await fixture.queueSpecification(asking(2));
    fixture.wake();
    const job = await backend.startedJob(0);
    const second = await fixture.queueSpecification(asking(1));
    fixture.wake();
    const { scheduler } = server.operations;
    await expect
      .poll(async () => maybeWaitingFor(fixture.db, await fixture.run(second), scheduler.hostStatus()))
      .toBe("Its first job waits for 1 of 2 GPUs, which other jobs are using.");
    expect(scheduler.hostStatus()).toMatchObject({ gpus: 2, gpusInUse: 2 });
    const third = await fixture.queue(["plain"]);
    fixture.wake();
    backend.end(await backend.startedJob(1));
    await fixture.until(third, isOver);
    backend.end(job);
    backend.end(await backend.startedJob(2));
    for (const id of [first, second]) await fixture.until(id, isOver);
    expect(backend.scripts).toEqual(["train on 2", "plain", "train on 1"]);
  });

  test("a run waiting for a busy engine reports the wait, and a stop does not wait for the engine", async () => {
    const id = await fixture.queueSpecification(surveySpecification(), LIST);
    const [{ runtime, ...survey }] = SURVEYS;
    const busy = { ...runtime, open: () => new Promise<never>(() => undefined), waitingRuns: () => [id] };
    const server = fixture.server({ engines: [{ ...survey, runtime: busy }] });
    await server.start();
    const { scheduler } = server.operations;
    const run = await fixture.until(id, ({ heldBy }) => heldBy !== null);
    expect(await maybeWaitingFor(fixture.db, run, scheduler.hostStatus())).toBe(
      "Its workflow engine is computing for other runs. Users take turns, and this run continues at its turn.",
    );
    await requestStop(fixture.db, id, 5);
    await scheduler.stop(id, 60_000);
    expect(await fixture.run(id)).toMatchObject({ status: "stopped" });
  });

  test("a running run with only waiting jobs reports the wait", async () => {
    const id = await fixture.queue(["a"]);
    await fixture.server({ capacity: ONE_CORE }).start();
    const running = await fixture.until(id, ({ jobsRunning }) => jobsRunning === 1);
    const sentence = () => maybeWaitingFor(fixture.db, { ...running, jobsRunning: 0 });
    const wait = (ordinal: number) => insertJob(fixture.db, newJob(id, ordinal, { status: "created" }));
    await wait(1);
    expect(await sentence()).toBeUndefined();
    await fixture.db.updateTable("jobs").set({ status: "created" }).where("run_id", "=", id).execute();
    expect(await sentence()).toMatch(/^2 jobs need cores or memory /);
    await fixture.db.deleteFrom("jobs").where("ordinal", "=", 1).execute();
    expect(await sentence()).toBe("A job needs cores or memory that other jobs are using.");
  });

  test("a run that waits for its first place begins with the next server, once", async () => {
    const passed = crashPointsPassed();
    await fixture.queue(["a"]);
    const old = fixture.server({ capacity: ONE_CORE });
    await old.start();
    const first = await backend.startedJob(0);
    const waiting = await fixture.queue(["b"]);
    fixture.wake();
    await fixture.until(waiting, ({ heldBy }) => heldBy !== null);
    await old.close({ stopJobs: false });
    await fixture.server({ capacity: ONE_CORE }).start();
    expect(await fixture.run(waiting)).toMatchObject({ status: "pending" });
    expect(backend.started).toHaveLength(1);
    backend.end(first);
    backend.end(await backend.startedJob(1));
    expect(await fixture.until(waiting, isOver)).toMatchObject({ status: "finished", jobsFinished: 1 });
    expect(backend.scripts).toEqual(["a", "b"]);
    // The event of the run's start already records the job as running.
    expect(passed.filter((point) => point === "beginning-recorded")).toHaveLength(2);
    expect(passed).not.toContain("jobs-admitted");
  });

  test("a run waiting for the first place can be stopped, and the turn passes to another run", async () => {
    await fixture.queue(["a"]);
    const server = fixture.server({ capacity: ONE_CORE });
    await server.start();
    const first = await backend.startedJob(0);
    const ids = [await fixture.queue(["b"]), await fixture.queue(["c"])];
    fixture.wake();
    await fixture.until(ids[1]!, ({ heldBy }) => heldBy !== null);
    await requestStop(fixture.db, ids[0]!, 5);
    await server.operations.scheduler.stop(ids[0]!, 60_000);
    expect(await fixture.run(ids[0]!)).toMatchObject({ status: "stopped", jobsRunning: 0 });
    expect(await statusesOfJobs(ids[0]!)).toEqual([]);
    backend.end(first);
    backend.end(await backend.startedJob(1));
    await fixture.until(ids[1]!, isOver);
    expect(backend.scripts).toEqual(["a", "c"]);
  });

  test("as many of the first jobs start as have a place, and the others wait", async () => {
    const passed = crashPointsPassed();
    const bob = await fixture.addUser();
    await fixture.queue(["ada"]);
    await fixture.server({ capacity: ONE_CORE, engines: [SERIAL, THREE_AT_ONCE] }).start();
    const first = await backend.startedJob(0);
    const bobs = await fixture.queue(["x"], { ownerId: bob, language: "yadage" });
    fixture.wake();
    await fixture.until(bobs, ({ heldBy }) => heldBy !== null);
    expect(await statusesOfJobs(bobs)).toEqual([]);
    backend.end(first);
    backend.end(await backend.startedJob(1));
    await expect.poll(() => statusesOfJobs(bobs)).toEqual(["created", "finished", "running"]);
    for (const index of [2, 3]) backend.end(await backend.startedJob(index));
    expect(await fixture.until(bobs, isOver)).toMatchObject({ jobsFinished: 3, jobsRunning: 0 });
    expect(backend.started).toHaveLength(4);
    expect(passed.filter((point) => point === "jobs-admitted")).toHaveLength(2);
    expect(passed.filter((point) => point === "job-submitted")).toHaveLength(4);
  });

  test("a job that could not be handed out gives its place back", async () => {
    const bad = await fixture.queue(["bad"]);
    backend.failNextSubmit("The cluster did not answer.");
    await fixture.server({ capacity: ONE_CORE }).start();
    await fixture.until(bad, isOver);
    await fixture.queue(["good"]);
    fixture.wake();
    await backend.startedJob(0);
    expect(backend.scripts).toEqual(["good"]);
  });
});

/** Submits all jobs together, and finishes when all of them have ended. */
function engineOfJobs(keys: readonly string[]): Engine<number> {
  const submit = (key: string) => {
    const job = { key, name: "", node: key, command: { script: key }, displayCommand: key, image: null };
    return { do: "submit", job: { ...job, environment: {} } } as const;
  };
  return {
    language: "yadage",
    version: 1,
    check: () => [],
    load: () => ({
      start: () => ({ state: keys.length, instructions: keys.map(submit) }),
      apply: (left) => ({ state: left - 1, instructions: left === 1 ? [{ do: "finish" }] : [] }),
      graph: () => ({ nodes: [], edges: [] }),
    }),
  };
}

test("an engine that hands a job out twice ends the run with the reason", async () => {
  const same = engineOfJobs(["same"]);
  const stuttering = runnable({
    ...same,
    load: (input, evaluate) => {
      const workflow = same.load(input, evaluate);
      return { ...workflow, apply: () => workflow.start() };
    },
  });
  const id = await fixture.queue(["x"], { language: "yadage" });
  await fixture.server({ engines: [stuttering] }).start();
  backend.end(await backend.startedJob(0));
  expect(await fixture.until(id, isOver)).toMatchObject({
    status: "failed",
    failure: 'The workflow engine issued the job "same" twice.',
    jobsFinished: 1,
  });
  expect(fixture.errors).toEqual([]);
});
