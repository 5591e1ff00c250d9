import { expect, test } from "vitest";
import type { Backend, JobRequest } from "#backends/backend";
import { backendsOf } from "#backends/backends";
import { systemClock } from "#plumbing/clock";
import type { Capacity } from "#runner/jobs/capacity";
import { createInbox } from "#runner/turn/arrivals";
import { createBackendGates } from "#runner/jobs/backend-gates";
import { createJobDispatcher } from "#runner/jobs/job-dispatcher";
import type { IssuedJob } from "#runner/turn/job-id";
import type { Run } from "#store/runs/runs";

const NAMED = { name: "Stub", isHostBound: true, hostToken: "boot", capabilities: { computeBackends: [] } };
const RUN = { id: "run", ownerId: "owner", workspaceId: "workspace" } as Run;

const WORKSPACE = { folder: "/workspace", stage: async () => undefined, forgetStaged: async () => undefined };

/** A run without a driver must not hold capacity: other runs would wait forever. */
test("a detached dispatcher acquires and queues for no capacity, whichever call was in progress", async () => {
  const capacity = recordedCapacity();
  const submitted: string[] = [];
  const backend = {
    ...NAMED,
    watch: () => () => undefined,
    submit: async (request: JobRequest) => void submitted.push(request.id),
  } as unknown as Backend;
  const workspaces = { of: () => WORKSPACE };
  const context = {
    backends: backendsOf([backend]),
    capacity,
    workspaces,
    clock: systemClock,
    gates: createBackendGates(systemClock),
  };
  const jobs = createJobDispatcher(context, RUN, {
    inbox: createInbox(),
    journal: { assertLease: async () => {}, note: async () => {} },
    onEnd: () => undefined,
  });
  jobs.detach();
  expect(jobs.acquireCapacity([issued("a")])).toEqual(new Set());
  jobs.enqueue([issued("b")]);
  jobs.submit([issued("c")]);
  await jobs.settled();
  expect([capacity.asked, submitted]).toEqual([[], []]);
});

/** Another server may drive the run to its end: a job submitted later would run unnoticed. */
test("a dispatcher that is detached while it submits many jobs stops submitting", async () => {
  const { promise: answer, resolve: answerAll } = Promise.withResolvers<void>();
  const submitted: string[] = [];
  const backend = {
    ...NAMED,
    watch: () => () => undefined,
    submit: async (request: JobRequest) => {
      submitted.push(request.id);
      await answer;
      return { status: "running" };
    },
  } as unknown as Backend;
  const context = {
    backends: backendsOf([backend]),
    capacity: recordedCapacity(),
    workspaces: { of: () => WORKSPACE },
    clock: systemClock,
    gates: createBackendGates(systemClock),
  };
  const jobs = createJobDispatcher(context, RUN, {
    inbox: createInbox(),
    journal: { assertLease: async () => {}, note: async () => {} },
    onEnd: () => undefined,
  });
  jobs.submit(Array.from({ length: 100 }, (_, index) => issued(`${index}`)));
  await expect.poll(() => submitted).not.toEqual([]);
  const atOnce = submitted.length;
  jobs.detach();
  answerAll();
  await jobs.settled();
  expect([atOnce < 100, submitted.length]).toEqual([true, atOnce]);
});

/** Another server may take the run over while this server waits for the leftovers of the earlier attempt. */
test("a dispatcher that is detached while the leftovers of a first attempt are ended does not submit the second", async () => {
  const { promise: gone, resolve: allGone } = Promise.withResolvers<void>();
  const submitted: string[] = [];
  const backend = {
    ...NAMED,
    watch: () => () => undefined,
    endLeftovers: () => gone,
    submit: async (request: JobRequest) => void submitted.push(request.id),
  } as unknown as Backend;
  const workspaces = { of: () => WORKSPACE };
  const context = {
    backends: backendsOf([backend]),
    capacity: recordedCapacity(),
    workspaces,
    clock: systemClock,
    gates: createBackendGates(systemClock),
  };
  const jobs = createJobDispatcher(context, RUN, {
    inbox: createInbox(),
    journal: { assertLease: async () => {}, note: async () => {} },
    onEnd: () => undefined,
  });
  jobs.submit([issued("a", 2)]);
  jobs.detach();
  allGone();
  await jobs.settled();
  expect(submitted).toEqual([]);
});

/** A run may wait for an hour for its backend, and delay thousands of jobs. */
test("a fired timer leaves no entry behind", async () => {
  let live = 0;
  const rings: (() => void)[] = [];
  const clock = {
    ...systemClock,
    after(_ms: number, callback: () => void) {
      live += 1;
      rings.push(callback);
      return () => void (live -= 1);
    },
  };
  const backend = { ...NAMED, watch: () => () => undefined } as unknown as Backend;
  const capacity = recordedCapacity();
  const context = {
    backends: backendsOf([backend]),
    capacity,
    workspaces: { of: () => WORKSPACE },
    clock,
    gates: createBackendGates(clock),
  };
  const jobs = createJobDispatcher(context, RUN, {
    inbox: createInbox(),
    journal: { assertLease: async () => {}, note: async () => {} },
    onEnd: () => undefined,
  });
  const delayed = ["a", "b"]
    .map((key) => issued(key))
    .map(({ id, job }) => ({ id, job: { ...job, delayMs: 1 } }));
  jobs.enqueue(delayed);
  rings[0]!();
  jobs.detach();
  expect([capacity.asked, live]).toEqual([["wait"], 1]);
});

function recordedCapacity(): Capacity & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    tryAcquire: () => asked.push("maybeTake") > 0,
    acquire: () => void asked.push("take"),
    enqueue: () => void asked.push("wait"),
    release: () => undefined,
  };
}

function issued(key: string, attempt = 1): IssuedJob {
  const job = {
    key,
    attempt,
    name: key,
    node: key,
    command: { script: key },
    displayCommand: key,
    image: null,
    environment: {},
  };
  return { id: key, job };
}
