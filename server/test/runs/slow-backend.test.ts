import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import type { Engine, Instruction } from "#engines/engine";
import { countJobs, jobsOfRun } from "#store/jobs/jobs";
import { requestStop, setStartOptions } from "#store/runs/runs";
import { fakeBackend } from "../support/fakes/fake-backend.ts";
import { isOver, type RunFixture, runFixture } from "../support/run-fixture.ts";
import { runnable } from "../support/server-parts.ts";

const NO_JOBS = { workflow: { type: "serial", specification: { steps: [] } } } as const;
const JOBS = 2000;
/** Time for the backend to accept a job. */
const ACCEPTANCE_MS = 300;
const POLL = { interval: 10 };

/** Issues many jobs at once, and one more when the first job ends. */
const ENGINE: Engine<number> = {
  language: "serial",
  version: 1,
  check: () => [],
  load: () => ({
    start: () => ({ state: 0, instructions: Array.from({ length: JOBS }, (_, number) => submitted(number)) }),
    apply: (ended) => ({ state: ended + 1, instructions: ended === 0 ? [submitted(JOBS)] : [] }),
    graph: () => ({ nodes: [], edges: [] }),
  }),
};

function submitted(number: number): Instruction {
  const key = String(number);
  const command = { script: key };
  const job = { key, name: key, node: key, command, displayCommand: key, image: null, environment: {} };
  return { do: "submit", job };
}

let fixture: RunFixture;

afterEach(() => fixture.close());

test("an end and a stop are heard while 2,000 jobs wait for a slow backend, which gets none of them after the stop", async () => {
  const cluster = fakeBackend({ name: "Cluster", isHostBound: false });
  const { submit, cancel } = cluster;
  const [sent, cancelled]: string[][] = [[], []];
  cluster.submit = async (request) => {
    sent!.push(request.id);
    await delay(ACCEPTANCE_MS);
    return submit(request);
  };
  cluster.cancel = (request) => {
    cancelled!.push(request.id);
    return cancel(request);
  };
  fixture = await runFixture(cluster);
  const id = await fixture.queueSpecification(NO_JOBS);
  await setStartOptions(fixture.db, id, {}, {}, { kept: { mostOutstanding: 2 * JOBS } });
  const server = fixture.server({ engines: [runnable(ENGINE)] });
  await server.start();
  cluster.end(await cluster.startedJob(0));
  await expect.poll(() => countJobs(fixture.db, id), POLL).toBe(JOBS + 1);
  await requestStop(fixture.db, id, 5);
  const stopped = server.operations.scheduler.stop(id, 60_000);
  const before = sent!.slice();
  expect(before.length).toBeLessThan(JOBS / 10);
  await stopped;
  expect(sent).toEqual(before);
  // Jobs never sent need no call.
  expect(cancelled!.toSorted()).toEqual(before.slice(1).toSorted());
  expect(await fixture.until(id, isOver)).toMatchObject({ status: "stopped" });
  const reasons = (await jobsOfRun(fixture.db, id)).map(({ reason }) => reason);
  const count = (wanted: string) => reasons.filter((reason) => reason === wanted).length;
  expect([count("exited"), count("cancelled"), count("not-started")]).toEqual([
    1,
    before.length - 1,
    JOBS + 1 - before.length,
  ]);
  expect(fixture.errors).toEqual([]);
});
