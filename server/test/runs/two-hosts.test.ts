import { describe, expect, test } from "vitest";
import { runsOnFakeBackend } from "../support/runs-on-fake-backend.ts";
import { maybeWaitingFor } from "#operations/watch/waiting-for";
import { registerHost } from "#store/hosts/hosts";
import { jobsOfRun } from "#store/jobs/jobs";
import { maybeTakeLease } from "#store/hosts/leases";
import { runEvents } from "#store/events/run-events";
import { requestStop } from "#store/runs/runs";
import { type FakeBackend, fakeBackend } from "../support/fake-backend.ts";
import { movableClock } from "../support/movable-clock.ts";
import { isOver, type RunFixture, runFixture } from "../support/run-fixture.ts";
import { runnable } from "../support/server-parts.ts";
import { surveyEngine } from "../support/survey-engine.ts";
import { surveySpecification } from "../support/surveys.ts";
import { evaluateTiny } from "../support/tiny-expressions.ts";

/** Two servers over one database, with jobs that both can see, as on a cluster, or only the one that submitted them. */
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

  test("a run that one drives is stopped by the other's word", async () => {
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

  test("its runs continue elsewhere when their jobs can be seen from there", async () => {
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

  test("its runs with jobs of its own wait for it by name, until it is back", async () => {
    const backend = fakeBackend();
    const fixture = await runFixture(backend);
    const id = await queueAndLose(backend, fixture);
    await fixture.server({ hostId: "two" }).start();
    const run = await fixture.run(id);
    expect(run).toMatchObject({ status: "running", heldBy: "one" });
    expect(await maybeWaitingFor(fixture.db, run, await jobsOfRun(fixture.db, id))).toMatch(
      /^Its host one has been silent since .* UTC\. The run continues when that host is back\.$/,
    );
    backend.end(backend.started[0]!);
    await fixture.server({ hostId: "one" }).start();
    backend.end(await backend.startedJob(1));
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", heldBy: "one" });
    await fixture.close();
  });
});

test("a server that cannot renew its host row in time releases its runs, and takes free ones when it can", async () => {
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
  const backend = fakeBackend({ isHostBound: false });
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
