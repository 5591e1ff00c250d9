import { existsSync } from "node:fs";
import { rm, symlink, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { runsOnFakeBackend } from "../support/scenarios/runs-on-fake-backend.ts";
import { jobsOfRun } from "#store/jobs/jobs";
import { engineLog, runEvents } from "#store/events/run-events";
import type { Run } from "#store/runs/runs";
import { requestStop } from "#store/runs/runs";
import type { FakeBackend } from "../support/fakes/fake-backend.ts";
import { heldAnswers } from "./held-answers.ts";
import { isOver, type RunFixture } from "../support/run-fixture.ts";

const isRunning = (run: Run) => run.status === "running";

describe("runs, from the queue to their end", () => {
  let backend: FakeBackend;
  let fixture: RunFixture;

  runsOnFakeBackend((opened) => void ({ backend, fixture } = opened));

  test("a queued run runs its jobs in order and finishes", async () => {
    const id = await fixture.queue(["one", "two"]);
    await fixture.server().start();
    backend.end(await backend.startedJob(0));
    backend.end(await backend.startedJob(1));
    const run = await fixture.until(id, isOver);
    expect(run).toMatchObject({
      status: "finished",
      jobsTotal: 2,
      jobsFinished: 2,
      jobsRunning: 0,
      jobsFailed: 0,
    });
    expect(backend.scripts).toEqual(["one", "two"]);
    expect((await runEvents(fixture.db, id)).map((event) => `${event.seq} ${event.kind}`)).toEqual([
      "0 start",
      "1 begun",
      "2 job-ended",
      "3 job-ended",
    ]);
    const jobs = await jobsOfRun(fixture.db, id);
    expect(jobs).toMatchObject([
      { ordinal: 0, name: "s0", status: "finished", exitCode: 0, startedAtMs: 1000, finishedAtMs: 2000 },
      { ordinal: 1, name: "s1", status: "finished" },
    ]);
  });

  for (const [what, put] of [
    ["a file", (folder: string) => writeFile(folder, "")],
    ["a link", (folder: string) => symlink("/tmp", folder)],
  ] as const) {
    const replace = async (id: string) => {
      const folder = fixture.workspaces.of((await fixture.run(id)).workspaceId).folder;
      await rm(folder, { recursive: true });
      await put(folder);
      return folder;
    };

    test(`a workspace that a job has replaced by ${what} ends the run, and can be removed`, async () => {
      const id = await fixture.queue(["one", "two"]);
      await fixture.server().start();
      const job = await backend.startedJob(0);
      const folder = await replace(id);
      backend.end(job);
      const run = await fixture.until(id, isOver);
      expect(run).toMatchObject({ status: "failed", jobsFinished: 1, jobsRunning: 0 });
      expect(run.failure).toMatch(/^The files of the run are gone: its workspace was replaced/);
      await fixture.workspaces.of(run.workspaceId).remove();
      expect(existsSync(folder)).toBe(false);
    });

    test(`a run whose workspace was replaced by ${what} ends after a restart, and can be stopped`, async () => {
      const [one, other] = [await fixture.queue(["one"]), await fixture.queue(["other"])];
      const first = fixture.server();
      await first.start();
      await backend.startedJob(1);
      await first.close({ stopJobs: false });
      for (const id of [one, other]) await replace(id);
      await requestStop(fixture.db, other, 1);
      await fixture.server().start();
      expect((await fixture.until(one, isOver)).failure).toContain("The files of the run are gone");
      expect((await fixture.until(other, isOver)).status).toBe("stopped");
    });
  }

  test("a failing job fails the run with one sentence, and its last lines are in the engine's log", async () => {
    const id = await fixture.queue(["bad", "never"]);
    await fixture.server().start();
    backend.end(await backend.startedJob(0), { exitCode: 2 });
    const run = await fixture.until(id, isOver);
    expect(run).toMatchObject({
      status: "failed",
      failure: 'Step "s0" failed: its command exited with code 2.',
      jobsFailed: 1,
    });
    const log = await engineLog(fixture.db, id);
    expect(log).toContain('ERROR | Step "s0" failed: its command exited with code 2.');
    expect(log).toContain("| log of bad\n");
    expect(backend.scripts).toEqual(["bad"]);
  });

  test("no more runs than allowed are active, and the longest waiting is next", async () => {
    const first = await fixture.queue(["first"]);
    const second = await fixture.queue(["second"]);
    await fixture.server({ maxRunsAtOnce: 1 }).start();
    await backend.startedJob(0);
    expect((await fixture.run(second)).status).toBe("queued");
    backend.end(backend.started[0]!);
    await backend.startedJob(1);
    expect((await fixture.run(first)).status).toBe("finished");
    backend.end(backend.started[1]!);
    await fixture.until(second, isOver);
    expect(backend.scripts).toEqual(["first", "second"]);
  });

  test("a new server continues where the old one was, and starts no job twice", async () => {
    const id = await fixture.queue(["one", "two", "three"]);
    const old = fixture.server();
    await old.start();
    backend.end(await backend.startedJob(0));
    const second = await backend.startedJob(1);
    await old.close({ stopJobs: false });
    backend.end(second);
    await fixture.server().start();
    backend.end(await backend.startedJob(2));
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", jobsFinished: 3 });
    expect(backend.scripts).toEqual(["one", "two", "three"]);
  });

  test("a stop ends the running job and the run, and nothing follows", async () => {
    const id = await fixture.queue(["one", "two"]);
    const server = fixture.server();
    await server.start();
    await backend.startedJob(0);
    await fixture.until(id, isRunning);
    await requestStop(fixture.db, id, 5);
    await server.operations.scheduler.stop(id, 60_000);
    expect(await fixture.run(id)).toMatchObject({
      status: "stopped",
      jobsRunning: 0,
      stopRequestedAtMs: 5,
    });
    expect(await jobsOfRun(fixture.db, id)).toMatchObject([{ status: "stopped", reason: "cancelled" }]);
    expect(backend.scripts).toEqual(["one"]);
  });

  test("a stop that was requested before the server went away is carried out by the next", async () => {
    const id = await fixture.queue(["one", "two"]);
    const old = fixture.server();
    await old.start();
    await backend.startedJob(0);
    await old.close({ stopJobs: false });
    await requestStop(fixture.db, id, 5);
    await fixture.server().start();
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "stopped" });
    expect(backend.scripts).toEqual(["one"]);
  });

  test("a job that cannot be handed out fails the run with the reason, and never starts", async () => {
    const id = await fixture.queue(["one"]);
    backend.failNextSubmit("bash is not installed");
    await fixture.server().start();
    expect(await fixture.until(id, isOver)).toMatchObject({
      status: "failed",
      failure: 'Step "s0" could not be started. bash is not installed',
    });
    expect(backend.scripts).toEqual([]);
  });

  test("a language without an engine fails the run with that sentence", async () => {
    const id = await fixture.queue(["one"], { language: "snakemake" });
    await fixture.server().start();
    expect(await fixture.until(id, isOver)).toMatchObject({
      status: "failed",
      failure: "This server has no engine for snakemake workflows.",
    });
  });

  test("closing with stopJobs stops the running jobs", async () => {
    const id = await fixture.queue(["one", "two"]);
    const server = fixture.server();
    await server.start();
    await backend.startedJob(0);
    await server.close({ stopJobs: true });
    expect(await fixture.run(id)).toMatchObject({ status: "stopped" });
    expect(backend.runningJobs()).toBe(0);
  });

  test("a failure while driving a run is shown and retried, and no job starts twice", async () => {
    const id = await fixture.queue(["one", "two"]);
    await fixture.server().start();
    const first = await backend.startedJob(0);
    const takeForeignEventAway = await recordForeignEvent(id);
    backend.end(first);
    await expect.poll(() => fixture.errors.length).toBeGreaterThan(0);
    await expect
      .poll(async () => (await fixture.run(id)).waitingFor)
      .toMatch(/^The server could not continue this run \(.*\)\. It will try again at .* UTC\.$/);
    await takeForeignEventAway();
    backend.end(await backend.startedJob(1));
    const run = await fixture.until(id, isOver);
    expect(run).toMatchObject({ status: "finished", jobsFinished: 2, waitingFor: null });
    expect(backend.scripts).toEqual(["one", "two"]);
  });

  test("a stop that comes while a run is being resumed is carried out at once", async () => {
    const id = await fixture.queue(["one", "two"]);
    let isTaken = false;
    const slow = heldAnswers(fixture.db, ([row]) => {
      isTaken ||= row !== undefined && "lease_epoch" in row;
      return isTaken && row !== undefined && "stop_requested_at" in row;
    });
    const server = fixture.server({ db: slow.db });
    await server.start();
    const first = await backend.startedJob(0);
    const takeForeignEventAway = await recordForeignEvent(id);
    isTaken = false;
    slow.hold();
    backend.end(first);
    await expect.poll(slow.asked).toBe(1);
    await takeForeignEventAway();
    await requestStop(fixture.db, id, 5);
    const stopped = server.operations.scheduler.stop(id, 3000);
    slow.letGo();
    await stopped;
    expect((await fixture.run(id)).status).toBe("stopped");
  });

  /** Records the next event like a second server. The server under test must not write its own event too. */
  async function recordForeignEvent(id: string): Promise<() => Promise<unknown>> {
    const { seq } = (await runEvents(fixture.db, id)).at(-1)!;
    await fixture.db
      .insertInto("run_events")
      .values({ run_id: id, seq: seq + 1, kind: "foreign", body: "null", log: "", at: 0 })
      .execute();
    return () => fixture.db.deleteFrom("run_events").where("kind", "=", "foreign").execute();
  }
});
