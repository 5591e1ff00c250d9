import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { JobRequest } from "#backends/backend";
import { Containers } from "#backends/containers/containers";
import { imageOptionsIn } from "#backends/containers/images/images-fixture";
import { findRuntime } from "#backends/containers/runtime";
import { installFake, PODMAN_INFO } from "#backends/containers/runtime-fixture";
import { withLocal } from "#backends/local/local-fixture";
import { type Clock, systemClock } from "#plumbing/clock";
import { UNKNOWN_DIGEST } from "#workflow/job/image-digest";

const log = { error: () => undefined };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "reprise-runtime-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const PODMAN = { choice: "podman", hostId: "host", log } as const;
const GIVEN = { image: "nowhere.invalid/fit:1" };
/** The answer of a podman that does not have an image. */
const NO_IMAGE = "echo 'Error: image not known' >&2; exit 125";

test("a job without an image gets the default image, a program of the machine does not", async () => {
  // The server does not allow its default image: a job with the default image is refused before any runtime
  // is asked.
  const images = { ...imageOptionsIn(folder), allowed: ["none"] };
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
    const images = imageOptionsIn(folder);
    const backend = local.open({ containers: new Containers({ ...PODMAN, images, clock: systemClock }) });
    const job = local.request("sleep 100");
    await backend.submit(job);
    expect(readdirSync(path.join(local.folder, job.id))).not.toContain("secrets");
    await backend.cancel(job);
  }),
);

/** A clock on which `look` ends the pause before the next look at the runtime. */
function clockOfLooks(): { readonly clock: Clock; readonly look: () => void } {
  let look = () => {};
  const clock: Clock = {
    ...systemClock,
    after(ms, callback) {
      if (ms !== 5000) return systemClock.after(ms, callback);
      look = callback;
      return () => undefined;
    },
  };
  return { clock, look: () => look() };
}

/** Opens containers of a podman whose disk is full until `makeSpace`. `look` ends the pause before the next look. */
function onFullDisk(also = `image) ${NO_IMAGE} ;;`) {
  const podman = installFake(folder, { name: "podman", info: PODMAN_INFO, also });
  const { clock, look } = clockOfLooks();
  let bavail = 1;
  const images = { ...imageOptionsIn(folder), clock };
  const measureDisk = () => ({ bsize: 2 ** 20, blocks: 1000, bavail });
  const containers = new Containers({ ...PODMAN, images, measureDisk, clock });
  return { podman, containers, makeSpace: () => (bavail = 50), look };
}

const FULL = { status: "queued", reason: expect.stringMatching(/^free space: /) };

test(
  "a job waiting for free space, and then for an image, reports the reason",
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
  "a job that waits is lost if another job damages its files meanwhile",
  withLocal(async (local) => {
    const { containers, makeSpace, look } = onFullDisk(`image) echo '[{"Id":"1"}]' ;;`);
    const backend = local.open({ containers });
    const job = local.request("true", GIVEN);
    expect(await backend.submit(job)).toEqual(FULL);
    symlinkSync(path.join(folder, "elsewhere"), path.join(local.folder, job.id, "container"));
    const told: unknown[] = [];
    backend.watch((_id, state) => told.push(state));
    makeSpace();
    look();
    await expect.poll(() => told.length).toBeGreaterThan(0);
    expect(told).toMatchObject([
      { end: { reason: "lost", detail: expect.stringContaining("A link was found in place of the file") } },
    ]);
    expect(existsSync(path.join(folder, "elsewhere"))).toBe(false);
  }),
);

test(
  "a job that is cancelled while its image is looked for leaves no failure behind",
  withLocal(async (local) => {
    const podman = installFake(folder, {
      name: "podman",
      info: PODMAN_INFO,
      also: `image) sleep 0.3; ${NO_IMAGE} ;;`,
    });
    const images = imageOptionsIn(folder);
    const backend = local.open({ containers: new Containers({ ...PODMAN, images, clock: systemClock }) });
    const job = local.request("true", GIVEN);
    const submitted = backend.submit(job);
    await expect.poll(() => podman.calls()).toContain("image");
    expect(await backend.cancel(job)).toMatchObject({ reason: "not-started" });
    await submitted;
    const pulls = () => backend.capabilities.imagePulls!();
    // An unhandled failure of the pull would fail this file.
    await expect.poll(pulls).toMatchObject({ failed: 1 });
  }),
);

test(
  "a job that is cancelled after its wait for free space, while its image is looked for, leaves no failure behind",
  withLocal(async (local) => {
    const { podman, containers, makeSpace, look } = onFullDisk(`image) sleep 0.3; ${NO_IMAGE} ;;`);
    const backend = local.open({ containers });
    const job = local.request("true", GIVEN);
    expect(await backend.submit(job)).toEqual(FULL);
    makeSpace();
    look();
    await expect.poll(() => podman.calls()).toContain("image");
    await backend.cancel(job);
    // An unhandled failure of the pull would fail this file.
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

const UNREACHABLE = "Cannot connect to the service.";

/** Opens containers of a podman that fails while the file `broken` exists, and has its image if the file `image` exists. */
function onUnreliablePodman(choice: "podman" | "auto", policy: "missing" | "never") {
  const fail = `[ -e ${folder}/broken ] && { echo "${UNREACHABLE}" >&2; exit 1; }`;
  const image = `[ -e ${folder}/image ] && { echo '[{"Id":"1"}]'; exit 0; }; ${NO_IMAGE}`;
  const also = `image) ${fail}; ${image} ;;\n  pull) touch ${folder}/broken; ${fail} ;;`;
  installFake(folder, { name: "podman", info: `$(${fail}; echo "${PODMAN_INFO}")`, also });
  const { clock, look } = clockOfLooks();
  const images = { ...imageOptionsIn(folder), policy, clock };
  const measureDisk = () => ({ bsize: 1, blocks: 0, bavail: 0 });
  const containers = new Containers({ ...PODMAN, choice, images, measureDisk, clock });
  return {
    containers,
    prepare: (id: string) => containers.prepare({ id, job: GIVEN as JobRequest["job"] } as JobRequest),
    look,
    set: (name: string) => writeFileSync(path.join(folder, name), ""),
    unset: (name: string) => rmSync(path.join(folder, name)),
  };
}

test.each(["podman", "auto"] as const)(
  "a job waits while a podman of --containers %s fails that has worked",
  async (choice) => {
    const { containers, prepare, look, set, unset } = onUnreliablePodman(choice, "never");
    await expect(prepare("early")).rejects.toThrow("is not on this machine");
    set("image");
    set("broken");
    const reason = `podman could not look for the image ${GIVEN.image}: ${UNREACHABLE}`;
    const first = await prepare("one");
    expect(first).toMatchObject({ reason });
    look();
    const second = await first!.arrives;
    expect(second).toMatchObject({
      reason: `podman is installed, but does not work: ${UNREACHABLE}`,
    });
    expect(await containers.maybeAbsence()).toBeUndefined();
    expect(await containers.presentDigest(GIVEN.image)).toBe(UNKNOWN_DIGEST);
    unset("broken");
    look();
    expect(await second!.arrives).toBeUndefined();
    expect(containers.has("one")).toBe(true);
  },
);

test("a job waits if the runtime itself fails during a pull", async () => {
  const { containers, prepare, look, set, unset } = onUnreliablePodman("podman", "missing");
  const pulling = await prepare("one");
  expect(pulling).toMatchObject({ reason: `the image ${GIVEN.image} is being pulled` });
  const broken = await pulling!.arrives;
  expect(broken).toMatchObject({ reason: expect.stringContaining(UNREACHABLE) });
  unset("broken");
  set("image");
  look();
  expect(await broken!.arrives).toBeUndefined();
  expect(containers.has("one")).toBe(true);
});
