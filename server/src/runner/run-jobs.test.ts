import { expect, test } from "vitest";
import type { Backend, JobRequest } from "#backends/backend";
import { systemClock } from "#plumbing/clock";
import type { Places } from "#runner/places";
import { runJobs } from "#runner/run-jobs";
import type { Workflow } from "#store/workflows";
import type { Job } from "#workflow/job";

const WORKFLOW = { id: "run", ownerId: "owner", workspaceId: "workspace" } as Workflow;

/** A run without a driver must not keep places that others wait for: they would wait forever. */
test("who has let go of a run's jobs takes and waits for no place, whatever was under way", async () => {
  const places = recordedPlaces();
  const submitted: string[] = [];
  const backend = {
    watch: () => () => undefined,
    submit: async (request: JobRequest) => void submitted.push(request.id),
  } as unknown as Backend;
  const workspaces = { folder: () => "/workspace" };
  const context = { backend, places, workspaces, clock: systemClock };
  const jobs = runJobs(context, WORKFLOW, {
    onEnd: () => {},
    onAdmitted: () => {},
    mustHoldLease: async () => {},
  });
  jobs.letGo();
  expect(jobs.takePlaces([job("a")])).toEqual(new Set());
  jobs.waitForPlaces([job("b")]);
  await jobs.handOut([job("c")], () => "boot");
  expect([places.asked, submitted]).toEqual([[], []]);
});

/** Another server may drive the run to its end: a job handed out later would run unnoticed. */
test("who lets go of many jobs while they are handed out hands out no more", async () => {
  const { promise: answer, resolve: answerAll } = Promise.withResolvers<void>();
  const submitted: string[] = [];
  const backend = {
    watch: () => () => undefined,
    submit: async (request: JobRequest) => {
      submitted.push(request.id);
      await answer;
      return { status: "running" };
    },
  } as unknown as Backend;
  const context = {
    backend,
    places: recordedPlaces(),
    workspaces: { folder: () => "/workspace" },
    clock: systemClock,
  };
  const jobs = runJobs(context, WORKFLOW, {
    onEnd: () => {},
    onAdmitted: () => {},
    mustHoldLease: async () => {},
  });
  const handingOut = jobs.handOut(
    Array.from({ length: 100 }, (_, index) => job(`${index}`)),
    () => "boot",
  );
  await expect.poll(() => submitted).not.toEqual([]);
  const atOnce = submitted.length;
  jobs.letGo();
  answerAll();
  await handingOut;
  expect([atOnce < 100, submitted.length]).toEqual([true, atOnce]);
});

/** Another server may take the run over while this one waits until nothing is left of the earlier attempt. */
test("who lets go of a job while nothing is left of its first attempt does not hand out the second", async () => {
  const { promise: gone, resolve: allGone } = Promise.withResolvers<void>();
  const submitted: string[] = [];
  const backend = {
    watch: () => () => undefined,
    endLeftovers: () => gone,
    submit: async (request: JobRequest) => void submitted.push(request.id),
  } as unknown as Backend;
  const workspaces = { folder: () => "/workspace" };
  const context = { backend, places: recordedPlaces(), workspaces, clock: systemClock };
  const jobs = runJobs(context, WORKFLOW, {
    onEnd: () => {},
    onAdmitted: () => {},
    mustHoldLease: async () => {},
  });
  const handingOut = jobs.handOut([{ ...job("a"), attempt: 2 }], () => "boot");
  jobs.letGo();
  allGone();
  await handingOut;
  expect(submitted).toEqual([]);
});

function recordedPlaces(): Places & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    maybeTake: () => asked.push("maybeTake") > 0,
    take: () => void asked.push("take"),
    wait: () => void asked.push("wait"),
    give: () => undefined,
  };
}

function job(key: string): Job {
  return {
    key,
    name: key,
    script: key,
    displayCommand: key,
    image: null,
    environment: {},
    timeLimitMs: null,
  };
}
