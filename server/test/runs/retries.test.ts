import { describe, expect, test } from "vitest";
import { runsOnFakeBackend } from "../support/scenarios/runs-on-fake-backend.ts";
import { maybeWaitingFor } from "#operations/watch/waiting-for";
import { jobIdOf } from "#runner/turn/job-id";
import { jobsOfRun } from "#store/jobs/jobs";
import { runEvents } from "#store/events/run-events";
import { requestStop } from "#store/runs/runs";
import type { FakeBackend } from "../support/fakes/fake-backend.ts";
import { type MovableClock, movableClock } from "../support/fakes/movable-clock.ts";
import { isOver, type RunFixture } from "../support/run-fixture.ts";

/** Longer than any test. */
const LONG_SECONDS = 1000;

describe("a command that may be tried again", () => {
  let backend: FakeBackend;
  let fixture: RunFixture;
  let clock: MovableClock;

  runsOnFakeBackend((opened) => void ({ backend, fixture } = opened), {
    clock: () => (clock = movableClock()),
  });

  const queue = (step: object) =>
    fixture.queueSpecification({
      workflow: {
        type: "serial",
        specification: { steps: [{ name: "fit", commands: ["fit"], ...step }, { commands: ["plot"] }] },
      },
    });

  test("gets another job, which starts after the end of the first is recorded and its processes are gone", async () => {
    const id = await queue({ retries: 2 });
    const [first, second] = [1, 2].map((attempt) => jobIdOf(id, { key: "0.0", attempt }));
    const seen: unknown[] = [];
    const submit = backend.submit.bind(backend);
    backend.submit = async (request) => {
      const rows = await jobsOfRun(fixture.db, id);
      if (request.id === second)
        seen.push(
          rows.map(({ attempt, status }) => [attempt, status]),
          backend.endedLeftovers.has(first!),
        );
      return submit(request);
    };
    await fixture.server().start();
    backend.end(await backend.startedJob(0), { exitCode: 1 });
    expect(await backend.startedJob(1)).toBe(second);
    backend.end(second!);
    backend.end(await backend.startedJob(2));
    expect(await fixture.until(id, isOver)).toMatchObject({
      status: "finished",
      jobsFinished: 2,
      jobsFailed: 1,
    });
    expect(seen).toEqual([
      [
        [1, "failed"],
        [2, "running"],
      ],
      true,
    ]);
    expect(backend.scripts).toEqual(["fit", "fit", "plot"]);
    const decisions = (await jobsOfRun(fixture.db, id)).map(({ decision }) => decision);
    expect(decisions).toEqual([
      null,
      {
        kind: "retried",
        facts: [
          { field: "reason", before: "exited", now: null },
          { field: "exit_code", before: 1, now: null },
        ],
        sentence: 'Step "fit" failed: its command exited with code 1.',
      },
      null,
    ]);
    const log = (await runEvents(fixture.db, id)).map((event) => event.log).join("");
    expect(log).toMatch(
      /"fit" failed: its command exited with code 1\. It is retried \(attempt 2 of 3\), after 0 s\./,
    );
  });

  test("fails its run with the last attempt", async () => {
    const id = await queue({ retries: 1 });
    await fixture.server().start();
    for (const index of [0, 1]) backend.end(await backend.startedJob(index), { exitCode: 4 + index });
    expect(await fixture.until(id, isOver)).toMatchObject({
      status: "failed",
      failure: 'Step "fit" failed: its command exited with code 5.',
      jobsFailed: 2,
    });
  });

  test("holds no place during the delay, and reports the wait", async () => {
    const id = await queue({ retries: 1, retry_delay: LONG_SECONDS });
    await fixture.server({ capacity: { cores: 1, memoryBytes: 2 ** 30 } }).start();
    backend.end(await backend.startedJob(0), { exitCode: 1 });
    await fixture.until(id, ({ jobsFailed }) => jobsFailed === 1);
    const other = await fixture.queue(["other"]);
    fixture.wake();
    backend.end(await backend.startedJob(1));
    expect(await fixture.until(other, isOver)).toMatchObject({ status: "finished" });
    expect(await maybeWaitingFor(fixture.db, await fixture.run(id))).toBe(
      "A failed job will be retried after its delay, once enough cores and memory are free.",
    );
    expect(backend.scripts).toEqual(["fit", "other"]);
  });

  test("continues its delay under another server", async () => {
    const id = await queue({ retries: 1, retry_delay: 0.05 });
    const old = fixture.server();
    await old.start();
    backend.end(await backend.startedJob(0), { exitCode: 1 });
    await fixture.until(id, ({ jobsFailed }) => jobsFailed === 1);
    await old.close({ stopJobs: false });
    await fixture.server().start();
    for (const index of [1, 2]) backend.end(await backend.startedJob(index));
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished" });
    expect(backend.scripts).toEqual(["fit", "fit", "plot"]);
  });

  test("is not retried if its run is stopped during the delay", async () => {
    const id = await queue({ retries: 1, retry_delay: LONG_SECONDS });
    const server = fixture.server();
    await server.start();
    backend.end(await backend.startedJob(0), { exitCode: 1 });
    await fixture.until(id, ({ jobsFailed }) => jobsFailed === 1);
    await requestStop(fixture.db, id, 5);
    await server.operations.scheduler.stop(id, 60_000);
    clock.pass(LONG_SECONDS * 2000);
    expect(await fixture.run(id)).toMatchObject({ status: "stopped", jobsRunning: 0 });
    expect((await jobsOfRun(fixture.db, id)).map(({ attempt, reason }) => [attempt, reason])).toEqual([
      [1, "exited"],
      [2, "not-started"],
    ]);
    expect(backend.scripts).toEqual(["fit"]);
  });

  test("is not taken for the first attempt when a server goes away between the two", async () => {
    const id = await queue({ retries: 1 });
    const old = fixture.server({ snapshotEveryEvents: 1 });
    await old.start();
    backend.end(await backend.startedJob(0), { exitCode: 1 });
    const second = await backend.startedJob(1);
    await old.close({ stopJobs: false });
    await fixture.server({ snapshotEveryEvents: 1 }).start();
    backend.end(second);
    backend.end(await backend.startedJob(2));
    expect(await fixture.until(id, isOver)).toMatchObject({
      status: "finished",
      jobsFinished: 2,
      jobsFailed: 1,
    });
    expect(backend.scripts).toEqual(["fit", "fit", "plot"]);
  });
});
