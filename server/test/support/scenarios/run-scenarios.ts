import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Engine } from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";
import type { Connection } from "#store/database/database";
import { declareHostLost } from "#store/hosts/hosts";
import { jobsOfRun } from "#store/jobs/jobs";
import { requestStop } from "#store/runs/runs";
import { asked, keptModel, ownWindow, retriedAlone, tooMuchOutstanding, twoCores } from "./ask-scenarios.ts";
import { type FakeBackend, fakeBackend } from "../fakes/fake-backend.ts";
import { isOver, type RunFixture, runFixture, type ServerChange } from "../run-fixture.ts";
import { oldAndLive } from "./retention-scenario.ts";
import { runnable } from "../server-parts.ts";
import { surveyEngine } from "../engines/survey-engine.ts";
import { surveySpecification } from "../engines/surveys.ts";
import { evaluateTiny } from "../engines/tiny-expressions.ts";
import { withRunVerbs } from "../fakes/with-verbs.ts";

/**
 * An invariant of every run: a function that throws if violated. Scenarios are tried on the runner, and on
 * broken runners, each of which at least one scenario has to catch.
 */
export type Scenario = (world: World) => Promise<void>;

export interface World {
  readonly backend: FakeBackend;
  readonly fixture: RunFixture;
}

const COMMANDS = ["a", "b", "c", "d", "e", "f", "g"];
const SNAPSHOTS: ServerChange = { snapshotEveryEvents: 3 };
const SURVEYS: ServerChange = {
  engines: [runnable(surveyEngine, evaluateTiny)],
  snapshotEveryEvents: 2,
};
const LIST = { "list.txt": "red\ngreen\nblue\n" };

/** Longer than any wait here, even with a fast clock. */
const LONG_MS = 3_600_000;

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "every server goes away after one job, and each job runs once": async ({ backend, fixture }) => {
    const id = await fixture.queue(COMMANDS);
    for (const index of COMMANDS.keys()) {
      const server = fixture.server(SNAPSHOTS);
      await server.start();
      const job = await backend.startedJob(index);
      await server.close({ stopJobs: false });
      backend.end(job);
    }
    await fixture.server(SNAPSHOTS).start();
    const run = await fixture.until(id, isOver);
    assert.equal(run.status, "finished");
    assert.deepEqual(backend.scripts, COMMANDS);
    const jobs = await jobsOfRun(fixture.db, id);
    assert.deepEqual(
      jobs.map((job) => job.ordinal),
      [...COMMANDS.keys()],
    );
  },

  "jobs in flight when a server goes away are taken up by the next": async ({ backend, fixture }) => {
    const id = await fixture.queueSpecification(surveySpecification({ when: "false" }), LIST);
    const server = fixture.server(SURVEYS);
    await server.start();
    await backend.startedJob(2);
    await server.close({ stopJobs: false });
    for (const job of backend.started) backend.end(job);
    await fixture.server(SURVEYS).start();
    const run = await fixture.until(id, isOver);
    assert.deepEqual([run.jobsFinished, run.jobsRunning, backend.scripts.length], [3, 0, 3]);
  },

  "a job that is submitted again finds what it has changed of its files": async ({ backend, fixture }) => {
    const specification = surveySpecification({ when: "false", stages: true });
    const id = await fixture.queueSpecification(specification, LIST);
    const server = fixture.server(SURVEYS);
    await server.start();
    await backend.startedJob(2);
    const own = path.join(backend.folders[0]!, "cwl/1/visit/1/own");
    assert.equal(await readFile(own, "utf8"), LIST["list.txt"]);
    await writeFile(own, "changed");
    await server.close({ stopJobs: false });
    const again = new Set<string>();
    const { submit } = backend;
    backend.submit = (request) => submit(request).finally(() => again.add(request.id));
    await fixture.server(SURVEYS).start();
    await fixture.until(id, (now) => isOver(now) || again.size === 3);
    for (const job of backend.started) backend.end(job, { exitCode: 3 });
    const run = await fixture.until(id, isOver);
    assert.deepEqual([run.status, run.failure, run.jobsFinished], ["finished", null, 3]);
    assert.equal(await readFile(own, "utf8"), "changed");
  },

  "an old run loses what its events say, but not what a restart needs, and a live run loses nothing":
    oldAndLive,

  "what an engine asks of files is told as it is": asked,

  "a run has as much outstanding as it was started with, on every server": ownWindow,

  "an engine that has more outstanding fails its run": tooMuchOutstanding,
  "a run goes by the documents of its start, on every server": keptModel,

  "a host with two cores runs two jobs at a time": twoCores,

  "a command is tried again only after what its last attempt left is ended": retriedAlone,

  "nothing is staged over a file that exists": async ({ backend, fixture }) => {
    const specification = surveySpecification({ when: "false", stages: true });
    const files = { ...LIST, "cwl/1/visit/1": "kept" };
    const id = await fixture.queueSpecification(specification, files);
    await fixture.server(SURVEYS).start();
    const run = await fixture.until(id, isOver);
    assert.equal(run.status, "failed");
    assert.match(
      run.failure!,
      /^Job visit\/1 could not be started\. cwl\/1\/visit\/1 cannot be staged\. Something of that name exists already\.$/,
    );
    assert.equal(
      await readFile(path.join(fixture.workspaces.of(run.workspaceId).folder, "cwl/1/visit/1"), "utf8"),
      "kept",
    );
    assert.equal(backend.runningJobs(), 0);
  },

  "what was asked and could not be done for the moment is asked again": async ({ backend, fixture }) => {
    const { workspaces } = fixture;
    let failures = 1;
    const full = withRunVerbs(workspaces, (files) => ({
      write: (name, text) =>
        name === "settings.json" && failures-- > 0
          ? Promise.reject(new Error("The disk is full."))
          : files.write(name, text),
    }));
    Object.assign(workspaces, full);
    const id = await fixture.queueSpecification(surveySpecification(), LIST);
    await fixture.server(SURVEYS).start();
    await backend.startedJob(2);
    assert.deepEqual([(await fixture.run(id)).status, fixture.errors.length], ["running", 1]);
  },

  "no job begins that is not recorded": async ({ backend, fixture }) => {
    const unrecorded: string[] = [];
    const submit = backend.submit.bind(backend);
    backend.submit = async (request) => {
      const row = await fixture.db
        .selectFrom("jobs")
        .select("id")
        .where("id", "=", request.id)
        .executeTakeFirst();
      if (!row) unrecorded.push(request.id);
      return submit(request);
    };
    const id = await fixture.queue(["one", "two"]);
    await fixture.server().start();
    for (const index of [0, 1]) backend.end(await backend.startedJob(index));
    await fixture.until(id, isOver);
    assert.deepEqual(unrecorded, []);
  },

  "what could not be handed out never begins later": async ({ backend, fixture }) => {
    const id = await fixture.queue(["late"]);
    backend.failNextSubmit("The cluster did not answer.");
    // If driving the run fails at this moment, the next driver submits the job again.
    void backend.startedJob(0).then((job) => backend.end(job));
    await fixture.server().start();
    const run = await fixture.until(id, isOver);
    const isAgain = fixture.intendedErrors.length > 0 && run.status === "finished";
    if (!isAgain) assert.equal(run.status, "failed");
    backend.beginLate();
    assert.deepEqual(backend.scripts, isAgain ? ["late"] : []);
  },

  "when one of many jobs fails, none is left": async ({ backend, fixture }) => {
    const id = await fixture.queueSpecification(surveySpecification(), LIST);
    await fixture.server(SURVEYS).start();
    await backend.startedJob(2);
    backend.end(backend.started[1]!, { exitCode: 1 });
    const run = await fixture.until(id, isOver);
    assert.deepEqual([run.status, run.jobsRunning, backend.runningJobs()], ["failed", 0, 0]);
  },

  "a stopped run leaves nothing": async ({ backend, fixture }) => {
    const id = await fixture.queueSpecification(surveySpecification(), LIST);
    const server = fixture.server(SURVEYS);
    await server.start();
    await backend.startedJob(2);
    await requestStop(fixture.db, id, 5);
    await server.operations.scheduler.stop(id, LONG_MS);
    const run = await fixture.run(id);
    assert.deepEqual([run.status, run.jobsRunning, backend.runningJobs()], ["stopped", 0, 0]);
  },

  "what jobs left behind is ended before their run is over, however often that fails": async (world) => {
    const { backend, fixture } = world;
    let failures = 1;
    const statuses: string[] = [];
    backend.endLeftovers = async () => {
      statuses.push((await fixture.run(id)).status);
      if (failures-- > 0) throw new Error("The cluster did not answer.");
    };
    const id = await fixture.queue(["a"]);
    await fixture.server().start();
    backend.end(await backend.startedJob(0));
    await fixture.until(id, isOver);
    assert.deepEqual([...new Set(statuses)], ["running"]);
    assert.ok(statuses.length > 1);
  },

  "what is being written is there before the run is over, and comes no later": async ({ fixture }) => {
    const { workspaces } = fixture;
    let goOn = (): void => {};
    const isSlow = new Promise<void>((resolve) => (goOn = resolve));
    let isWritten = false;
    const slow = withRunVerbs(workspaces, (files) => ({
      async write(...call) {
        await isSlow;
        isWritten = true;
        return files.write(...call);
      },
    }));
    Object.assign(workspaces, slow);
    // The list is missing, so the run fails while its settings are still being written.
    const id = await fixture.queueSpecification(surveySpecification());
    await fixture.server(SURVEYS).start();
    setTimeout(goOn, 50);
    const run = await fixture.until(id, isOver);
    assert.deepEqual([run.status, isWritten], ["failed", true]);
  },

  "a stop waits for the end of a run that could not be ended at first": async ({ backend, fixture }) => {
    const cancel = backend.cancel.bind(backend);
    let failures = 1;
    backend.cancel = (request) =>
      failures-- > 0 ? Promise.reject(new Error("The cluster did not answer.")) : cancel(request);
    const id = await fixture.queue(["one"]);
    const server = fixture.server();
    await server.start();
    await backend.startedJob(0);
    await requestStop(fixture.db, id, 5);
    await server.operations.scheduler.stop(id, LONG_MS);
    assert.deepEqual([(await fixture.run(id)).status, backend.runningJobs()], ["stopped", 0]);
  },

  "the jobs of a host that was declared lost are asked for elsewhere as of another boot": async ({
    backend,
    fixture,
  }) => {
    const id = await fixture.queue(["one"]);
    const lost = fixture.server({ hostId: "lost" });
    await lost.start();
    await backend.startedJob(0);
    await lost.close({ stopJobs: false });
    await loseHost(fixture.db, "lost");
    const isAsked = new Promise<string>((resolve) => {
      const submit = backend.submit.bind(backend);
      backend.submit = (request) => {
        resolve(request.hostToken);
        return submit(request);
      };
    });
    await fixture.server({ hostId: "other" }).start();
    assert.equal(await isAsked, "of lost");
    assert.equal((await fixture.run(id)).heldBy, "other");
  },

  "a host that was declared lost ends the jobs that were given up, when it comes back": async (world) => {
    const { backend, fixture } = world;
    const onLost = fakeBackend();
    onLost.hostToken = "boot of the lost host";
    const id = await fixture.queue(["one"]);
    const lost = fixture.server({ hostId: "lost", backends: [onLost] });
    await lost.start();
    const job = await onLost.startedJob(0);
    await lost.close({ stopJobs: false });
    await loseHost(fixture.db, "lost");
    await fixture.server({ hostId: "other" }).start();
    assert.equal((await fixture.until(id, isOver)).status, "failed");
    assert.equal(onLost.stateOf(job)?.status, "running");
    await fixture.server({ hostId: "lost", backends: [onLost] }).start();
    // The end is delayed if the database fails at the start.
    await fixture.until(id, () => onLost.stateOf(job)?.status === "ended");
    assert.deepEqual(backend.started, []);
  },

  "a command that is tried again is at the same attempt after a snapshot": async ({ backend, fixture }) => {
    const specification = { steps: [{ commands: ["a"], retries: 1 }, { commands: ["b"] }] };
    const id = await fixture.queueSpecification({ workflow: { type: "serial", specification } });
    const everyEvent: ServerChange = { snapshotEveryEvents: 1 };
    const server = fixture.server(everyEvent);
    await server.start();
    backend.end(await backend.startedJob(0), { exitCode: 1 });
    const again = await backend.startedJob(1);
    await server.close({ stopJobs: false });
    await fixture.server(everyEvent).start();
    backend.end(again);
    backend.end(await backend.startedJob(2));
    const run = await fixture.until(id, isOver);
    assert.equal(run.status, "finished");
    assert.deepEqual(backend.scripts, ["a", "a", "b"]);
  },

  "past a failure run the steps that are independent of it, by whichever server": async (world) => {
    const { backend, fixture } = world;
    const on_failure = "finish";
    const steps = [
      { name: "one", commands: ["a"], on_failure },
      { name: "two", commands: ["b"], on_failure },
      { name: "three", commands: ["c"], on_failure },
      { name: "last", commands: ["d"] },
    ];
    const id = await fixture.queueSpecification({ workflow: { type: "serial", specification: { steps } } });
    for (const [index, exitCode] of [1, 0, 3].entries()) {
      const server = fixture.server({ snapshotEveryEvents: 1 });
      await server.start();
      const job = await backend.startedJob(index);
      await server.close({ stopJobs: false });
      backend.end(job, { exitCode });
    }
    await fixture.server({ snapshotEveryEvents: 1 }).start();
    const run = await fixture.until(id, isOver);
    assert.deepEqual([run.status, run.jobsFinished, run.jobsFailed], ["failed", 1, 2]);
    assert.deepEqual(backend.scripts, ["a", "b", "c"]);
    assert.equal(
      run.failure,
      '2 steps failed. Step "one" failed: its command exited with code 1. ' +
        'Step "three" failed: its command exited with code 3. ' +
        'Step "last" and what follows did not run, because they may need what failed.',
    );
  },

  "an engine that would have issued other jobs does not go on": async ({ backend, fixture }) => {
    const id = await fixture.queue(COMMANDS);
    const server = fixture.server(SNAPSHOTS);
    await server.start();
    backend.end(await backend.startedJob(0));
    await backend.startedJob(1);
    await server.close({ stopJobs: false });
    await fixture.server({ engines: [runnable(ENGINE_OF_OTHER_KEYS)] }).start();
    for (const job of backend.started) backend.end(job);
    const run = await fixture.until(id, isOver);
    assert.match(run.failure ?? "", /before it issued the job "0\.0", now "0\.0 anew"/);
    assert.deepEqual(backend.scripts, ["a", "b"]);
  },
};

const serial = serialEngine as Engine;

const ENGINE_OF_OTHER_KEYS: Engine = {
  ...serial,
  version: serial.version + 1,
  load(input, evaluate) {
    const workflow = serial.load(input, evaluate);
    const begun = workflow.start();
    const instructions = begun.instructions.map((one) =>
      one.do === "submit" ? { ...one, job: { ...one.job, key: `${one.job.key} anew` } } : one,
    );
    return { ...workflow, start: () => ({ ...begun, instructions }) };
  },
};

/** Longer than any scenario takes: catches a run that does not end. */
const STUCK_AFTER_MS = 4000;
/** Longer limit for a store whose faults cause retries. */
const STUCK_WITH_FAULTS_AFTER_MS = 15_000;

/** Tries a scenario. `faults` is the seed of a store that fails. */
export async function tryScenario(scenario: Scenario, faults?: number): Promise<void> {
  const backend = fakeBackend();
  const fixture = await runFixture(backend, { faults });
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () =>
        reject(new Error(`The run is stuck. ${[...fixture.errors, ...fixture.intendedErrors].join("\n")}`)),
      faults === undefined ? STUCK_AFTER_MS : STUCK_WITH_FAULTS_AFTER_MS,
    );
  });
  try {
    await Promise.race([scenario({ backend, fixture }), stuck]);
    await fixture.close();
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Declares a host lost. Its sign-off may have failed, in which case the host would count as present for some
 * time.
 */
async function loseHost(db: Connection, hostId: string): Promise<void> {
  await db.updateTable("hosts").set({ seen_at: 5 }).where("id", "=", hostId).execute();
  assert.equal(await declareHostLost(db, hostId), true);
}
