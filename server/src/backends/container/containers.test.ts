import { expect, test } from "vitest";
import type { JobRequest } from "#backends/backend";
import { Containers } from "#backends/container/containers";
import { systemClock } from "#plumbing/clock";

/** A server whose default image it does not allow: a job that would run in it is refused before any runtime is asked. */
const clock = systemClock;
const images = {
  policy: "never",
  allowed: ["none"],
  pullTimeoutMs: 1000,
  folder: "/nowhere",
  clock,
} as const;
const log = { error: () => undefined };
const containers = new Containers({
  choice: "podman",
  hostId: "host",
  images,
  defaultImage: "python:3",
  clock,
  log,
});

const prepare = (id: string, job: Partial<JobRequest["job"]>) =>
  containers.prepare({ id, job: { image: null, ...job } as JobRequest["job"] } as JobRequest);

test("a job without an image gets the default image, a program of the machine does not", async () => {
  await expect(prepare("step", {})).rejects.toThrow("python:3");
  expect(await prepare("notebook", { isHostProgram: true })).toBeUndefined();
  expect(containers.has("notebook")).toBe(false);
  await expect(prepare("named", { image: "other:1", isHostProgram: true })).rejects.toThrow("other:1");
});
