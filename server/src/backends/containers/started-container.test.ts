import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  endContainers,
  pidFileOf,
  recordContainer,
  withContainer,
} from "#backends/containers/started-container";
import { installFake } from "#backends/containers/runtime-fixture";
import { systemClock } from "#plumbing/clock";
import type { JobEnd } from "#workflow/job/job";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "reprise-attempt-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const DOCKER = { name: "docker", program: "/usr/bin/docker" } as const;
const KILLED: JobEnd = { reason: "exited", exitCode: 137, startedAtMs: 1, endedAtMs: 2 };

async function explained(end: JobEnd, memoryBytes?: number): Promise<JobEnd> {
  recordContainer(folder, { runtime: DOCKER, image: "a:1", digest: "sha256:1", memoryBytes });
  return withContainer(folder, end, async () => "");
}

test("a job killed by docker at the memory limit reports the limit", async () => {
  expect(await explained(KILLED, 2 ** 26)).toEqual({
    ...KILLED,
    reason: "out-of-memory",
    detail: "Out of memory: docker ended it at its limit of 64 MiB.",
    imageDigest: "sha256:1",
  });
});

test.each<[string, JobEnd, number | undefined]>([
  ["without a limit", KILLED, undefined],
  ["that ended by itself", { ...KILLED, exitCode: 1 }, 2 ** 26],
  ["that was cancelled", { ...KILLED, reason: "cancelled" }, 2 ** 26],
])("a job %s is left as it is", async (_name, end, memoryBytes) => {
  expect(await explained(end, memoryBytes)).toEqual({ ...end, imageDigest: "sha256:1" });
});

test("a job whose container was made while the keeper gave up on it may have run: it is lost", async () => {
  const givenUp: JobEnd = { ...KILLED, reason: "not-started", exitCode: null, detail: "too late" };
  expect(await explained(givenUp)).toMatchObject({ reason: "not-started" });
  writeFileSync(pidFileOf(folder), "4321");
  const detail = "Podman made the container only at the moment when the job was ended because it had none.";
  expect(await explained(givenUp)).toMatchObject({ reason: "lost", exitCode: null, detail });
});

test("the containers of several jobs are ended side by side", async () => {
  // Each call waits until both have begun.
  const also = `rm) for i in {1..500}; do [ $(wc -l <${folder}/calls) -lt 2 ] || exit 0; sleep 0.02; done; exit 1 ;;`;
  const podman = installFake(folder, { name: "podman", info: "", also });
  const runtime = { name: "podman", program: path.join(folder, "podman") } as const;
  for (const id of ["one", "two"]) {
    mkdirSync(path.join(folder, id));
    recordContainer(path.join(folder, id), { runtime, image: "a:1", digest: "sha256:1" });
  }
  await endContainers({ folder, hostId: "host", clock: systemClock }, ["one", "none", "two"]);
  expect(podman.calls()).toEqual(["rm", "rm"]);
});
