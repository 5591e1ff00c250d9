import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { JobRequest } from "#backends/backend";
import { Containers } from "#backends/container/containers";
import { findRuntime } from "#backends/container/runtime";
import { installFake, PODMAN_INFO } from "#backends/container/runtime-fixture";
import { withLocal } from "#backends/local/local-fixture";
import { type Clock, systemClock } from "#plumbing/clock";

const log = { error: () => undefined };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "reprise-runtime-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test("a job without an image gets the default image, a program of the machine does not", async () => {
  // The server does not allow its default image: a job that would run in it is refused before any runtime is asked.
  const images = {
    policy: "never",
    allowed: ["none"],
    pullTimeoutMs: 1000,
    folder,
    clock: systemClock,
  } as const;
  const defaultImage = "python:3";
  const containers = new Containers({ ...PODMAN, images, defaultImage, clock: systemClock });
  const prepare = (id: string, job: Partial<JobRequest["job"]>) =>
    containers.prepare({ id, job: { image: null, ...job } as JobRequest["job"] } as JobRequest);
  await expect(prepare("step", {})).rejects.toThrow("python:3");
  expect(await prepare("notebook", { isHostProgram: true })).toBeUndefined();
  expect(containers.has("notebook")).toBe(false);
  await expect(prepare("named", { image: "other:1", isHostProgram: true })).rejects.toThrow("other:1");
});

test(
  "a job that runs without a container gets no folder for secrets",
  withLocal(async (local) => {
    const images = { policy: "never", pullTimeoutMs: 1000, folder, clock: systemClock } as const;
    const backend = local.open({ containers: new Containers({ ...PODMAN, images, clock: systemClock }) });
    const job = local.request("sleep 100");
    await backend.submit(job);
    expect(readdirSync(path.join(local.folder, job.id))).not.toContain("secrets");
    await backend.cancel(job);
  }),
);

const PODMAN = { choice: "podman", hostId: "host", log } as const;
const GIVEN = { image: "nowhere.invalid/fit:1" };

/** Opens containers of a podman whose disk is full until `makeSpace`. `look` ends the pause before the next look. */
function onFullDisk(also = "") {
  const podman = installFake(folder, { name: "podman", info: PODMAN_INFO, also });
  let [bavail, look] = [1, () => {}];
  const clock: Clock = {
    ...systemClock,
    after(ms, callback) {
      if (ms !== 5000) return systemClock.after(ms, callback);
      look = callback;
      return () => undefined;
    },
  };
  const images = { policy: "missing", pullTimeoutMs: 20_000, folder, clock } as const;
  const measureDisk = () => ({ bsize: 2 ** 20, blocks: 1000, bavail });
  const containers = new Containers({ ...PODMAN, images, measureDisk, clock });
  return { podman, containers, makeSpace: () => (bavail = 50), look: () => look() };
}

const FULL = { status: "queued", reason: expect.stringMatching(/^free space: /) };

test(
  "a job that waits for free space, and then for its image, says so",
  withLocal(async (local) => {
    const { containers, makeSpace, look } = onFullDisk();
    const backend = local.open({ containers });
    const told: unknown[] = [];
    backend.watch((_id, state) => told.push(state));
    const job = local.request("true", GIVEN);
    expect(await backend.submit(job)).toEqual(FULL);
    look();
    await expect.poll(() => told).toEqual([FULL]);
    makeSpace();
    look();
    await expect.poll(() => told.length).toBe(3);
    expect(told[1]).toEqual({ status: "queued", reason: `the image ${GIVEN.image} is being pulled` });
    expect(told[2]).toMatchObject({ end: { reason: "not-started" } });
  }),
);

test(
  "a job that is cancelled while its image is looked for leaves no failure behind",
  withLocal(async (local) => {
    const podman = installFake(folder, {
      name: "podman",
      info: PODMAN_INFO,
      also: "image) sleep 0.3; exit 1 ;;",
    });
    const images = { policy: "missing", pullTimeoutMs: 20_000, folder, clock: systemClock } as const;
    const backend = local.open({ containers: new Containers({ ...PODMAN, images, clock: systemClock }) });
    const job = local.request("true", GIVEN);
    const submitted = backend.submit(job);
    await expect.poll(() => podman.calls()).toContain("image");
    expect(await backend.cancel(job)).toMatchObject({ reason: "not-started" });
    await submitted;
    const pulls = () => backend.capabilities.imagePulls!();
    // A failure of the pull that nobody handles would fail this file.
    await expect.poll(pulls).toMatchObject({ failed: 1 });
  }),
);

test(
  "a job that is cancelled after its wait for free space, while its image is looked for, leaves no failure behind",
  withLocal(async (local) => {
    const { podman, containers, makeSpace, look } = onFullDisk("image) sleep 0.3; exit 1 ;;");
    const backend = local.open({ containers });
    const job = local.request("true", GIVEN);
    expect(await backend.submit(job)).toEqual(FULL);
    makeSpace();
    look();
    await expect.poll(() => podman.calls()).toContain("image");
    await backend.cancel(job);
    // A failure of the pull that nobody handles would fail this file.
    await expect.poll(() => backend.capabilities.imagePulls!()).toMatchObject({ failed: 1 });
  }),
);

test("no image is fetched for a job that is cancelled while it waits for free space", async () => {
  const { podman, containers, makeSpace, look } = onFullDisk();
  const waiting = await containers.prepare({ id: "one", job: GIVEN as JobRequest["job"] } as JobRequest);
  containers.forget("one");
  makeSpace();
  look();
  expect(await waiting!.arrives).toBeUndefined();
  expect(podman.calls()).toEqual(["info"]);
});

test("the disk of a docker on another machine is not looked for on this one", async () => {
  installFake(folder, { name: "docker", info: "27.1.1  /var/lib/docker" });
  const storageAt = async (host: string) => {
    vi.stubEnv("DOCKER_HOST", host);
    return findRuntime("docker");
  };
  for (const host of ["tcp://other:2375", "ssh://other"])
    expect(await storageAt(host)).toMatchObject({ storage: "" });
  for (const host of ["", "unix:///run/docker.sock"])
    expect(await storageAt(host)).toMatchObject({ storage: "/var/lib/docker" });
});
