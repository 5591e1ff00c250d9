import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runsOnFakeBackend } from "../support/scenarios/runs-on-fake-backend.ts";
import { maybeWaitingFor } from "#operations/watch/waiting-for";
import type { Server } from "#app/compose";
import { declareHostLost } from "#operations/service/hosts";
import { mustEndJobs, registerHost } from "#store/hosts/hosts";
import { jobsOfRun } from "#store/jobs/jobs";
import { maybeTakeLease } from "#store/hosts/leases";
import { runEvents } from "#store/events/run-events";
import { requestStop } from "#store/runs/runs";
import { type FakeBackend, fakeBackend } from "../support/fakes/fake-backend.ts";
import { movableClock } from "../support/fakes/movable-clock.ts";
import { isOver, type RunFixture, runFixture } from "../support/run-fixture.ts";
import { runnable } from "../support/server-parts.ts";
import { surveyEngine } from "../support/engines/survey-engine.ts";
import { surveySpecification } from "../support/engines/surveys.ts";
import { evaluateTiny } from "../support/engines/tiny-expressions.ts";

/**
 * Two servers over one database. Jobs are visible to both servers, as in a cluster, or only to the submitting
 * server.
 */
describe.each([
  { jobs: "of a cluster", isHostBound: false },
  { jobs: "of the host alone", isHostBound: true },
])("two servers, with jobs $jobs", ({ isHostBound }) => {
  let backend: FakeBackend;
  let fixture: RunFixture;

  runsOnFakeBackend((opened) => void ({ backend, fixture } = opened), { isHostBound });

  test("share a queue, and no run is driven by both", async () => {
    const ids = [];
    for (let run = 0; run < 20; run += 1) ids.push(await fixture.queue([`${run}`]));
    await Promise.all(["one", "two"].map((hostId) => fixture.server({ hostId, maxRunsAtOnce: 10 }).start()));
    for (const index of ids.keys()) backend.end(await backend.startedJob(index));
    for (const id of ids) expect((await fixture.until(id, isOver)).status).toBe("finished");
    expect(new Set(backend.scripts).size).toBe(20);
    expect(backend.started).toHaveLength(20);
    expect(fixture.errors).toEqual([]);
  });

  test("a run of a server is stopped by a request to the other server", async () => {
    const id = await fixture.queue(["long"]);
    const clock = movableClock();
    await fixture.server({ hostId: "one", clock }).start();
    await backend.startedJob(0);
    const two = fixture.server({ hostId: "two" });
    await two.start();
    await requestStop(fixture.db, id, 5);
    const stopped = two.operations.scheduler.stop(id, 10_000);
    clock.pass(5000);
    await stopped;
    expect((await fixture.run(id)).status).toBe("stopped");
  });

  test("a host that has lost a run no longer writes for it", async () => {
    const id = await fixture.queue(["a", "b"]);
    await fixture.server({ hostId: "one" }).start();
    const job = await backend.startedJob(0);
    const before = await runEvents(fixture.db, id);
    await fixture.db.updateTable("runs").set({ held_by: "two", lease_epoch: 99 }).execute();
    await registerHost(fixture.db, { id: "two", name: "two" });
    backend.end(job);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await runEvents(fixture.db, id)).toEqual(before);
    expect(backend.scripts).toEqual(["a"]);
    expect(fixture.errors).toEqual([]);
  });
});

test("a host that loses a run while submitting a job does not end that job if the submission fails", async () => {
  const backend = fakeBackend({ isHostBound: false });
  const cancelled: string[] = [];
  let fail = (_error: Error): void => {};
  const isFailing = new Promise<never>((_resolve, reject) => (fail = reject));
  let submissions = 0;
  backend.submit = () => {
    submissions += 1;
    return isFailing;
  };
  backend.cancel = ({ id }) => {
    cancelled.push(id);
    return Promise.reject(new Error("Nobody should ask."));
  };
  const fixture = await runFixture(backend);
  await fixture.queue(["a"]);
  await fixture.server({ hostId: "one" }).start();
  await expect.poll(() => submissions).toBe(1);
  await registerHost(fixture.db, { id: "two", name: "two" });
  await fixture.db.updateTable("runs").set({ held_by: "two", lease_epoch: 99 }).execute();
  fail(new Error("The cluster did not answer."));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([cancelled, fixture.errors]).toEqual([[], []]);
  await fixture.close();
});

describe("a host that has fallen silent", () => {
  const queueAndLose = async (backend: FakeBackend, fixture: RunFixture) => {
    const id = await fixture.queue(["a", "b"]);
    const one = fixture.server({ hostId: "one" });
    await one.start();
    await backend.startedJob(0);
    await one.close({ stopJobs: false });
    return id;
  };

  test("runs continue elsewhere if the jobs can be seen from another host", async () => {
    const backend = fakeBackend({ isHostBound: false });
    const fixture = await runFixture(backend);
    const id = await queueAndLose(backend, fixture);
    backend.end(backend.started[0]!);
    await fixture.server({ hostId: "two" }).start();
    backend.end(await backend.startedJob(1));
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", heldBy: "two" });
    expect(backend.scripts).toEqual(["a", "b"]);
    await fixture.close();
  });

  test("runs with jobs of the host wait for the host by name, until the return", async () => {
    const backend = fakeBackend();
    const fixture = await runFixture(backend);
    const id = await queueAndLose(backend, fixture);
    await fixture.server({ hostId: "two" }).start();
    const run = await fixture.run(id);
    expect(run).toMatchObject({ status: "running", heldBy: "one" });
    expect(await maybeWaitingFor(fixture.db, run)).toMatch(
      /^Its host one has been silent since .* UTC\. The run continues when that host is back, or elsewhere once the administrator declares it lost \(reprise admin declare-lost one\)\.$/,
    );
    backend.end(backend.started[0]!);
    await fixture.server({ hostId: "one" }).start();
    backend.end(await backend.startedJob(1));
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", heldBy: "one" });
    await fixture.close();
  });
});

describe("a host that is declared lost", () => {
  let backends: { readonly one: FakeBackend; readonly two: FakeBackend };
  let fixture: RunFixture;
  let one: Server;

  /** Starts a run with a job on host one. The server of host one then stops, and the job stays. */
  async function loseHost(retries: number): Promise<string> {
    const steps = [{ name: "s", commands: ["a"], retries }];
    const id = await fixture.queueSpecification({ workflow: { type: "serial", specification: { steps } } });
    one = fixture.server({ hostId: "one", backends: [backends.one] });
    await one.start();
    await backends.one.startedJob(0);
    await one.close({ stopJobs: false });
    return id;
  }
  const startTwo = async () => {
    const server = fixture.server({ hostId: "two", backends: [backends.two] });
    await server.start();
    return server;
  };
  /** Declares host one lost, and lets the server look for runs. */
  const declareLost = async ({ operations }: Server) => {
    const host = await declareHostLost(operations, "one");
    operations.scheduler.endDrain();
    return host;
  };
  const stateOnOne = () => backends.one.stateOf(backends.one.started[0]!);

  beforeEach(async () => {
    backends = { one: fakeBackend(), two: fakeBackend() };
    backends.one.hostToken = "boot of one";
    fixture = await runFixture(backends.two);
  });

  afterEach(() => fixture.close());

  test("runs end elsewhere: the jobs are lost, and no job runs again unless retries allow", async () => {
    const id = await loseHost(0);
    const two = await startTwo();
    expect((await fixture.run(id)).heldBy).toBe("one");
    expect(await declareLost(two)).toMatchObject({ isPresent: false, runs: 1, jobs: 1 });
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "failed", heldBy: "two" });
    expect(await jobsOfRun(fixture.db, id)).toMatchObject([{ reason: "lost", hostId: "one" }]);
    expect(backends.two.started).toEqual([]);
  });

  test("with retries its jobs run once more elsewhere", async () => {
    const id = await loseHost(1);
    await declareLost(await startTwo());
    backends.two.end(await backends.two.startedJob(0));
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", heldBy: "two" });
    expect((await jobsOfRun(fixture.db, id)).map(({ reason, hostId }) => [reason, hostId])).toEqual([
      ["lost", "one"],
      ["exited", "two"],
    ]);
  });

  test("it ends the jobs that were given up when it comes back, says why, and harms no run", async () => {
    const id = await loseHost(1);
    await declareLost(await startTwo());
    const second = await backends.two.startedJob(0);
    expect(stateOnOne()?.status).toBe("running");
    const clock = movableClock();
    await fixture.server({ hostId: "one", backends: [backends.one], clock }).start();
    expect(stateOnOne()).toMatchObject({ status: "ended", end: { reason: "cancelled" } });
    expect(fixture.warnings).toEqual([
      expect.stringMatching(/^This host was declared lost while it was silent/),
    ]);
    expect(await mustEndJobs(fixture.db, "one")).toBe(true);
    for (let beat = 0; beat < 8; beat += 1) {
      clock.pass(5000);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await expect.poll(() => mustEndJobs(fixture.db, "one")).toBe(false);
    backends.two.end(second);
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", heldBy: "two" });
    expect([fixture.warnings.length, fixture.errors]).toEqual([1, []]);
  });

  test("a host continues the run after a return before a take-over", async () => {
    const id = await loseHost(0);
    await declareHostLost(one.operations, "one");
    await fixture.server({ hostId: "one", backends: [backends.one] }).start();
    expect(stateOnOne()?.status).toBe("running");
    backends.one.end(backends.one.started[0]!);
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", heldBy: "one" });
    expect(fixture.warnings).toEqual([]);
  });

  test("only a silent host is declared lost", async () => {
    const two = await startTwo();
    await expect(declareHostLost(two.operations, "two")).rejects.toThrow(
      /^The host two \(two\) is present: it was last seen at .* Stop its server first\.$/,
    );
    await expect(declareHostLost(two.operations, "none")).rejects.toThrow("No host has the id none.");
  });
});

test("a server that cannot renew the host row in time releases all runs, and takes free runs later", async () => {
  const backend = fakeBackend({ isHostBound: false });
  const fixture = await runFixture(backend);
  const id = await fixture.queue(["a", "b"]);
  const clock = movableClock();
  await fixture.server({ hostId: "one", clock }).start();
  const first = await backend.startedJob(0);
  clock.pass(60_000);
  const epoch = fixture.db.selectFrom("runs").select("lease_epoch").where("id", "=", id);
  await expect.poll(() => epoch.executeTakeFirst()).toEqual({ lease_epoch: 2 });
  backend.end(first);
  backend.end(await backend.startedJob(1));
  expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished" });
  expect(backend.scripts).toEqual(["a", "b"]);
  expect(await maybeTakeLease(fixture.db, id, "one")).toBeUndefined();
  await fixture.close();
});

test("the jobs of a released run take no place from the host that continues it", async () => {
  const backend = fakeBackend();
  const submit = backend.submit.bind(backend);
  let submissions = 0;
  let answer = (): void => {};
  const isAnswered = new Promise<void>((resolve) => (answer = resolve));
  backend.submit = async (request) => {
    submissions += 1;
    if (submissions === 1) await isAnswered;
    return submit(request);
  };
  const fixture = await runFixture(backend);
  const id = await fixture.queueSpecification(surveySpecification({ when: "false" }), {
    "list.txt": "red\ngreen\n",
  });
  const clock = movableClock();
  const capacity = { cores: 1, memoryBytes: 1000 };
  const engines = [runnable(surveyEngine, evaluateTiny)];
  await fixture.server({ clock, capacity, engines }).start();
  await expect.poll(() => submissions).toBe(1);
  clock.pass(60_000);
  const first = await backend.startedJob(0);
  // Time for the new driver to wait for the second job's place, and for the other to leave.
  await new Promise((resolve) => setTimeout(resolve, 50));
  answer();
  await new Promise((resolve) => setTimeout(resolve, 50));
  backend.end(first);
  backend.end(await backend.startedJob(1));
  expect(await fixture.until(id, isOver)).toMatchObject({ jobsFinished: 2, jobsRunning: 0 });
  await fixture.close();
});
