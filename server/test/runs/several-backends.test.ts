import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Server } from "#app/compose";
import { maybeWaitingFor } from "#operations/watch/waiting-for";
import { engineLog } from "#store/events/run-events";
import { jobsOfRun } from "#store/jobs/jobs";
import { requestStop, type Run } from "#store/runs/runs";
import type { BackendChoice, Job } from "#workflow/job/job";
import { isLive } from "#workflow/run/run-status";
import type { Engine } from "#engines/engine";
import { type FakeBackend, fakeBackend } from "../support/fakes/fake-backend.ts";
import { movableClock } from "../support/fakes/movable-clock.ts";
import { type RunFixture, runFixture } from "../support/run-fixture.ts";
import { runnable } from "../support/server-parts.ts";

const isOver = (run: Run) => !isLive(run.status);
const ONE_CORE = { cores: 1, memoryBytes: 2 ** 30 };
const NO_JOBS = { workflow: { type: "serial", specification: { steps: [] } } } as const;

/** Submits the jobs at once, finishes when all jobs have ended, and fails with the first failed job. */
function engineOf(jobs: Readonly<Record<string, BackendChoice | undefined>>): Engine<number> {
  const jobOf = (key: string, backend: BackendChoice | undefined): Job => ({
    key,
    name: key,
    node: key,
    command: { script: key },
    displayCommand: key,
    image: null,
    environment: {},
    ...(backend && { backend }),
  });
  const all = Object.entries(jobs).map(([key, backend]) => jobOf(key, backend));
  return {
    language: "serial",
    version: 1,
    check: () => [],
    load: () => ({
      start: () => ({ state: all.length, instructions: all.map((job) => ({ do: "submit", job }) as const) }),
      apply(left, event) {
        if (event.kind === "job-ended" && event.end.exitCode !== 0) {
          return { state: 0, instructions: [{ do: "fail", reason: `${event.key} failed.` }] };
        }
        return { state: left - 1, instructions: left === 1 ? [{ do: "finish" }] : [] };
      },
      graph: () => ({ nodes: [], edges: [] }),
    }),
  };
}

/** A server with a backend of its own machine and a cluster outside. */
describe("a server with several backends", () => {
  let here: FakeBackend;
  let cluster: FakeBackend;
  let fixture: RunFixture;

  beforeEach(async () => {
    here = fakeBackend({ name: "Here", computeBackends: ["here"] });
    cluster = fakeBackend({
      name: "Cluster",
      isHostBound: false,
      mayQueue: true,
      computeBackends: ["slurm", "slurmcern"],
      outsideIdOf: (id) => `outside-${id}`,
    });
    fixture = await runFixture(here, { others: [cluster] });
  });

  afterEach(() => fixture.close());

  const SLURM = { name: "slurmcern", options: { slurm_partition: "long" } };
  const serverWith = async (jobs: Parameters<typeof engineOf>[0], more: object = {}): Promise<Server> => {
    const server = fixture.server({ engines: [runnable(engineOf(jobs))], ...more });
    await server.start();
    return server;
  };
  const queue = () => fixture.queueSpecification(NO_JOBS);
  const rows = (id: string) => jobsOfRun(fixture.db, id);
  const waitingFor = async (id: string, server?: Server) =>
    maybeWaitingFor(fixture.db, await fixture.run(id), server?.operations.scheduler.hostStatus());

  test("sends each job to the requested backend, with options, and records the backend in the row", async () => {
    const id = await queue();
    await serverWith({ a: undefined, b: SLURM });
    const [one, other] = [await here.startedJob(0), await cluster.startedJob(0)];
    expect(cluster.submissions[0]).toMatchObject({ id: other, job: { backend: SLURM } });
    await expect
      .poll(async () =>
        (await rows(id)).map(({ backend, hostId, outsideId }) => [backend, hostId, outsideId]),
      )
      .toEqual([
        ["Here", "host", null],
        ["Cluster", null, `outside-${other}`],
      ]);
    here.end(one);
    cluster.end(other);
    expect((await fixture.until(id, isOver)).status).toBe("finished");
    expect([...here.endedLeftovers, ...cluster.endedLeftovers]).toEqual([one, other]);
  });

  test("keeps the cores of its host for the jobs of its host", async () => {
    const id = await queue();
    await serverWith({ a: undefined, b: undefined, c: SLURM, d: SLURM }, { capacity: ONE_CORE });
    await cluster.startedJob(1);
    expect([here.scripts, cluster.scripts]).toEqual([["a"], ["c", "d"]]);
    here.end(here.started[0]!);
    here.end(await here.startedJob(1));
    for (const job of cluster.started) cluster.end(job);
    expect((await fixture.until(id, isOver)).status).toBe("finished");
  });

  test("ends, reads and removes each job in its own place", async () => {
    const id = await queue();
    const server = await serverWith({ a: undefined, b: SLURM });
    const [one, other] = [await here.startedJob(0), await cluster.startedJob(0)];
    const { jobLogs, scheduler } = server.operations;
    expect(String(await jobLogs.read(`Here/${one}`, 0, 100))).toBe("log of a\n");
    expect(String(await jobLogs.read(`Cluster/${other}`, 0, 100))).toBe("log of b\n");
    await requestStop(fixture.db, id, 5);
    await scheduler.stop(id, 60_000);
    expect([here.runningJobs(), cluster.runningJobs()]).toEqual([0, 0]);
    expect((await rows(id)).map(({ reason }) => reason)).toEqual(["cancelled", "cancelled"]);
    await jobLogs.remove([`Here/${one}`, `Cluster/${other}`]);
    expect([[...here.removed], [...cluster.removed]]).toEqual([[one], [other]]);
  });

  test("shows no start of a job before a report of the backend", async () => {
    const id = await queue();
    const seen: unknown[] = [];
    const { submit } = cluster;
    cluster.submit = async (request) => {
      seen.push(await rows(id));
      return submit(request);
    };
    cluster.queueNext("no node is free");
    await serverWith({ a: SLURM });
    await expect.poll(() => waitingFor(id)).toBe("A job waits for Cluster: no node is free.");
    expect(seen).toMatchObject([[{ queueReason: "it has not been sent yet", startedAtMs: null }]]);
    expect(await rows(id)).toMatchObject([{ startedAtMs: null }]);
    const job = cluster.submissions[0]!.id;
    cluster.begin(job);
    await expect.poll(() => rows(id)).toMatchObject([{ queueReason: null, startedAtMs: expect.any(Number) }]);
    cluster.end(job);
    await fixture.until(id, isOver);
  });

  test("records the start of a job that its backend did not queue", async () => {
    const id = await queue();
    await serverWith({ a: SLURM });
    const job = await cluster.startedJob(0);
    await expect.poll(() => rows(id)).toMatchObject([{ queueReason: null, startedAtMs: expect.any(Number) }]);
    cluster.end(job);
    await fixture.until(id, isOver);
  });

  test("says what a queued job waits for, and no more once it runs", async () => {
    const id = await queue();
    cluster.queueNext("no node is free");
    await serverWith({ a: SLURM });
    await expect.poll(() => waitingFor(id)).toBe("A job waits for Cluster: no node is free.");
    const job = (await rows(id))[0]!.id;
    cluster.requeue(job, "the image is being pulled");
    await expect.poll(() => waitingFor(id)).toBe("A job waits for Cluster: the image is being pulled.");
    expect(await rows(id)).toMatchObject([{ status: "queued", startedAtMs: null }]);
    expect(await fixture.run(id)).toMatchObject({ jobsRunning: 0 });
    cluster.begin(job);
    await expect.poll(() => waitingFor(id)).toBeUndefined();
    expect(await fixture.run(id)).toMatchObject({ jobsRunning: 1 });
    cluster.end(job);
    await fixture.until(id, isOver);
    expect(await rows(id)).toMatchObject([{ queueReason: null, outsideId: `outside-${job}` }]);
  });

  test("says why nothing is known of a running job, until its place answers again", async () => {
    const id = await queue();
    await serverWith({ a: SLURM });
    const job = await cluster.startedJob(0);
    const concern = "The node n1 of the job has been silent since 2026-11-27 10:00:00 UTC.";
    cluster.report(job, { startedAtMs: 5000, concern });
    await expect.poll(() => waitingFor(id)).toBe(concern);
    expect(await rows(id)).toMatchObject([{ status: "running", startedAtMs: 5000, concern }]);
    cluster.report(job, { startedAtMs: 5000 });
    await expect.poll(() => waitingFor(id)).toBeUndefined();
    expect(await rows(id)).toMatchObject([{ status: "running", startedAtMs: 5000, concern: null }]);
    cluster.end(job);
    expect((await fixture.until(id, isOver)).status).toBe("finished");
  });

  test("hands the name outside back to the backend after a restart, and a queued job stays queued", async () => {
    const id = await queue();
    cluster.queueNext("no node is free");
    const first = await serverWith({ a: SLURM });
    await expect.poll(() => waitingFor(id)).toContain("no node is free");
    await first.close({ stopJobs: false });
    const { id: job, outsideId } = (await rows(id))[0]!;
    await serverWith({ a: SLURM });
    await expect.poll(() => cluster.submissions.length).toBe(2);
    expect(cluster.submissions[1]).toMatchObject({ id: job, outsideId });
    expect(await waitingFor(id)).toContain("no node is free");
    cluster.begin(job);
    await expect.poll(() => waitingFor(id)).toBeUndefined();
    cluster.end(job);
    expect((await fixture.until(id, isOver)).status).toBe("finished");
    expect(cluster.begins(job)).toBe(1);
  });

  test("waits with its sentence while a backend is away for an hour; other jobs continue, and none is lost", async () => {
    const clock = movableClock();
    const id = await queue();
    cluster.leave("Slurm has not answered since 10:00.");
    await serverWith({ a: undefined, b: SLURM }, { clock });
    here.end(await here.startedJob(0));
    await expect
      .poll(() => waitingFor(id))
      .toBe("A job waits for Cluster: Slurm has not answered since 10:00.");
    for (let minute = 0; minute < 3; minute += 1) {
      clock.pass(5000);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect((await fixture.run(id)).status).toBe("running");
    cluster.comeBack();
    await expect
      .poll(() => {
        clock.pass(5000);
        return cluster.started.length;
      })
      .toBe(1);
    await expect.poll(() => waitingFor(id)).toBeUndefined();
    cluster.end(cluster.started[0]!);
    expect((await fixture.until(id, isOver)).status).toBe("finished");
    expect(fixture.errors).toEqual([]);
  });

  test("says that the backend of a running job is away, and stops the run once it is back", async () => {
    const id = await queue();
    const server = await serverWith({ a: SLURM });
    const job = await cluster.startedJob(0);
    await expect.poll(() => waitingFor(id, server)).toBeUndefined();
    cluster.leave("Slurm does not answer.");
    expect(await waitingFor(id, server)).toBe("Slurm does not answer. Submitted jobs continue meanwhile.");
    await expect(server.operations.jobLogs.read(`Cluster/${job}`, 0, 9)).rejects.toMatchObject({
      kind: "unavailable",
      message: "Slurm does not answer.",
    });
    await requestStop(fixture.db, id, 5);
    await server.operations.scheduler.stop(id, 50);
    await expect
      .poll(async () => (await fixture.run(id)).waitingFor)
      .toMatch(/^Slurm does not answer\. It will try again at .* UTC\.$/);
    cluster.comeBack();
    expect((await fixture.until(id, isOver)).status).toBe("stopped");
    expect(cluster.stateOf(job)).toMatchObject({ status: "ended", end: { reason: "cancelled" } });
  });

  test("fails a run that asks for a missing backend, by name, and starts no job", async () => {
    const id = await queue();
    await serverWith({ a: undefined, b: { name: "htcondorcern" } });
    const sentence =
      'This server has no compute backend "htcondorcern" (it has: here, slurm, slurmcern). Step "b" asks for it.';
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "failed", failure: sentence });
    expect(await engineLog(fixture.db, id)).toContain(sentence);
    expect([...here.started, ...cluster.started, ...(await rows(id))]).toEqual([]);
  });

  test("waits by name for a missing backend of an earlier server; no job is lost", async () => {
    const id = await queue();
    const first = await serverWith({ a: SLURM });
    const job = await cluster.startedJob(0);
    await first.close({ stopJobs: false });
    const without = await serverWith({ a: SLURM }, { backends: [here] });
    const absent = /^This server has no compute backend "Cluster" \(it has: Here\)\. It will try again at/;
    await expect.poll(async () => (await fixture.run(id)).waitingFor).toMatch(absent);
    await expect(without.operations.jobLogs.size(`Cluster/${job}`)).rejects.toThrow(
      'This server has no compute backend "Cluster"',
    );
    await expect(without.operations.jobLogs.remove([`Cluster/${job}`])).rejects.toThrow("no compute backend");
    expect((await fixture.run(id)).status).toBe("running");
    await without.close({ stopJobs: false });
    cluster.end(job);
    await serverWith({ a: SLURM });
    expect((await fixture.until(id, isOver)).status).toBe("finished");
    expect(cluster.begins(job)).toBe(1);
  });

  test("submits once more, without a second process, if the answer to a submission is lost with its server", async () => {
    const id = await queue();
    cluster.loseNextAnswer();
    await serverWith({ a: SLURM });
    // The runner cannot know whether the submission arrived, so it ends the job, proves the job gone, and
    // records the reason.
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "failed" });
    expect(await rows(id)).toMatchObject([{ reason: "cancelled", detail: "The answer was lost." }]);
    expect(cluster.runningJobs()).toBe(0);
  });
});
