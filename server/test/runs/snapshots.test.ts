import { describe, expect, test } from "vitest";
import { runsOnFakeBackend } from "../support/scenarios/runs-on-fake-backend.ts";
import type { Engine } from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";
import { jobsOfRun } from "#store/jobs/jobs";
import { cpuMsOfOwner, recountDaysOfUse } from "#store/runs/usage-days";
import { runEvents } from "#store/events/run-events";
import { maybeSnapshot } from "#store/events/run-snapshots";
import type { FakeBackend } from "../support/fakes/fake-backend.ts";
import { isOver, type RunFixture, type ServerChange } from "../support/run-fixture.ts";
import { runnable } from "../support/server-parts.ts";

const COMMANDS = Array.from({ length: 12 }, (_, index) => `c${index}`);

const NEWER = serialEngine.version + 1;

/** Returns the serial engine with another version and other job keys. */
function otherEngine(version: number, keyOf: (key: string) => string): Engine {
  return {
    ...(serialEngine as Engine),
    version,
    load(input, evaluate) {
      const workflow = (serialEngine as Engine).load(input, evaluate);
      const changed = (step: ReturnType<typeof workflow.start>) => ({
        ...step,
        instructions: step.instructions.map((one) =>
          one.do === "submit" ? { ...one, job: { ...one.job, key: keyOf(one.job.key) } } : one,
        ),
      });
      return {
        ...workflow,
        start: () => changed(workflow.start()),
        apply: (state, event) => changed(workflow.apply(state, event)),
      };
    },
  };
}

function withEngine(engine: Engine): ServerChange {
  return { engines: [runnable(engine)], snapshotEveryEvents: 5 };
}

describe("snapshots and engines", () => {
  let backend: FakeBackend;
  let fixture: RunFixture;

  runsOnFakeBackend((opened) => void ({ backend, fixture } = opened));

  /** Runs the first jobs on a server. The server closes while the next job is running. */
  async function leaveAfter(jobs: number): Promise<string> {
    const id = await fixture.queue(COMMANDS);
    const server = fixture.server({ snapshotEveryEvents: 5 });
    await server.start();
    for (let index = 0; index < jobs; index += 1) backend.end(await backend.startedJob(index));
    await backend.startedJob(jobs);
    await server.close({ stopJobs: false });
    return id;
  }

  async function completeFrom(index: number): Promise<void> {
    for (let at = index; at < COMMANDS.length; at += 1) backend.end(await backend.startedJob(at));
  }

  test("are made after a number of events, a single snapshot a run, with outstanding work", async () => {
    const id = await leaveAfter(9);
    const snapshot = await maybeSnapshot(fixture.db, id);
    expect(snapshot).toMatchObject({ seq: 9, engineVersion: serialEngine.version, jobCount: 9 });
    expect(JSON.parse(snapshot!.state)).toMatchObject({ steps: 0, engine: { position: 8, ended: false } });
    expect(JSON.parse(snapshot!.outstanding)).toMatchObject({
      jobs: [{ key: "8.0" }],
      asks: [],
      ending: null,
    });
  });

  test("are where a replay begins: earlier events are not read again", async () => {
    const id = await leaveAfter(9);
    // Reading an emptied event would fail.
    await fixture.db.updateTable("run_events").set({ body: "no JSON" }).where("seq", "<", 9).execute();
    await fixture.server({ snapshotEveryEvents: 5 }).start();
    await completeFrom(9);
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", jobsFinished: 12 });
    expect(backend.scripts).toEqual(COMMANDS);
  });

  test("of another version are not used; the same jobs from the same events, and the run continues", async () => {
    const id = await leaveAfter(9);
    await fixture.server(withEngine(otherEngine(NEWER, (key) => key))).start();
    await completeFrom(9);
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", jobsFinished: 12 });
    expect(backend.scripts).toEqual(COMMANDS);
  });

  test("a newer engine that would issue different jobs fails the run, and no job runs again", async () => {
    const id = await leaveAfter(9);
    await fixture.server(withEngine(otherEngine(NEWER, (key) => (key === "7.0" ? "seven" : key)))).start();
    const run = await fixture.until(id, isOver);
    expect(run).toMatchObject({ status: "failed", jobsRunning: 0, jobsFinished: 9 });
    expect(run.failure).toBe(
      `The workflow engine (version ${NEWER}) would not issue the same jobs again: ` +
        'before it issued the job "7.0", now "seven". Nothing was run again. Start a new run of the workflow.',
    );
    expect(backend.scripts).toEqual(COMMANDS.slice(0, 10));
    expect(backend.runningJobs()).toBe(0);
    expect((await jobsOfRun(fixture.db, id)).at(-1)).toMatchObject({ status: "stopped" });
    expect((await runEvents(fixture.db, id)).at(-1)).toMatchObject({ kind: "ended" });
  });

  test("the processor time of an engine is added to the owner's runs, during the run and after the end", async () => {
    const ownerId = await fixture.addUser();
    const id = await fixture.queue(["a", "b"], { ownerId });
    const { runtime, ...others } = runnable(serialEngine);
    const open = async (...given: Parameters<typeof runtime.open>) => ({
      ...(await runtime.open(...given)),
      takeUsedMs: () => 7,
    });
    await fixture.server({ engines: [{ ...others, runtime: { ...runtime, open } }] }).start();
    await backend.startedJob(0);
    expect(await cpuMsOfOwner(fixture.db, ownerId)).toBe(7);
    backend.end(await backend.startedJob(0), { usage: { cpuMs: 100 } });
    backend.end(await backend.startedJob(1), { usage: { cpuMs: 1000 } });
    await fixture.until(id, isOver);
    const cpuMs = 1100 + 3 * 7;
    expect(await cpuMsOfOwner(fixture.db, ownerId)).toBe(cpuMs);
    expect(await recountDaysOfUse(fixture.db)).toEqual([expect.objectContaining({ userId: ownerId, cpuMs })]);
  });

  test("an engine that waits for nothing does not leave the run waiting for ever", async () => {
    const idle: Engine = {
      ...(serialEngine as Engine),
      load: () => ({
        start: () => ({ state: null, instructions: [] }),
        apply: (state) => ({ state, instructions: [] }),
        graph: () => ({ nodes: [], edges: [] }),
      }),
    };
    const id = await fixture.queue(["never"]);
    await fixture.server(withEngine(idle)).start();
    expect(await fixture.until(id, isOver)).toMatchObject({
      status: "failed",
      failure:
        "The workflow engine has nothing outstanding and has not ended the run. This is a bug: please report it.",
    });
  });

  test("an engine that throws ends the run with the message", async () => {
    const broken: Engine = {
      ...(serialEngine as Engine),
      load: (input, evaluate) => ({
        ...(serialEngine as Engine).load(input, evaluate),
        apply: () => {
          throw new Error("I am broken");
        },
      }),
    };
    const id = await fixture.queue(["one", "two"]);
    await fixture.server(withEngine(broken)).start();
    backend.end(await backend.startedJob(0));
    expect(await fixture.until(id, isOver)).toMatchObject({
      status: "failed",
      failure: "The workflow engine stopped with an error: I am broken",
    });
  });
});
