import { expect, test } from "vitest";
import type { Backends } from "#backends/backends";
import { systemClock } from "#plumbing/clock";
import { createFileRequests } from "#runner/files/file-requests";
import type { Arrival, ReportedEnd } from "#runner/turn/arrivals";
import { jobIdOf } from "#runner/turn/job-id";
import type { Connection } from "#store/database/database";
import type { Run } from "#store/runs/runs";
import type { Job } from "#workflow/job/job";
import type { Workspaces } from "#workspace/workspaces";

const RUN = { id: "run", workspaceId: "workspace" } as Run;
const STAMPS = { isWhole: true, files: { a: "1" } };

/** Requests and replies of a run whose jobs change one file. */
function requestsOfRun() {
  const arrived: Arrival[] = [];
  const workspaces = { of: () => ({ forRun: () => ({}) }) } as unknown as Pick<Workspaces, "of">;
  const requests = createFileRequests(
    { db: {} as Connection, clock: systemClock, workspaces, backends: { all: [] } as unknown as Backends },
    RUN,
    {
      detector: { maybeChanges: async () => STAMPS },
      inbox: { put: (arrival) => void arrived.push(arrival), fail: (error) => expect.fail(String(error)) },
      assertLease: async () => {},
    },
  );
  return { requests, arrived };
}

function endOf(job: Partial<Job>): ReportedEnd {
  const end = { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2 } as const;
  return { id: jobIdOf("run", { key: "a" }), job: { key: "a", ...job } as Job, backend: "Local", end };
}

test("the end of a job to which nothing belongs arrives at once", () => {
  const { requests, arrived } = requestsOfRun();
  requests.collect(endOf({}));
  expect(arrived).toMatchObject([{ kind: "event", event: { kind: "job-ended", key: "a", lastLines: [] } }]);
});

test("the end of a stamped job arrives once, with its stamps", async () => {
  const { requests, arrived } = requestsOfRun();
  requests.collect(endOf({ isStamped: true }));
  expect(arrived).toEqual([]);
  await expect.poll(() => arrived).toMatchObject([{ kind: "event", event: { key: "a" }, stamps: STAMPS }]);
});

test("a run with settled requests collects no further end", async () => {
  const { requests, arrived } = requestsOfRun();
  await requests.settled();
  requests.collect(endOf({ isStamped: true }));
  await requests.settled();
  expect(arrived).toEqual([]);
});
