import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Containers, type ContainerOptions } from "#backends/containers/containers";
import { imageOptionsIn } from "#backends/containers/images/images-fixture";
import { installFake, PODMAN_INFO } from "#backends/containers/runtime-fixture";
import { featuresForAll } from "#backends/local/capabilities";
import { withLocal } from "#backends/local/local-fixture";
import { systemClock } from "#plumbing/clock";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "reprise-runtime-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const WALL = { provides: ["sandbox", "network", "writable-folders", "mounts"] } as const;
const log = { error: () => undefined };

function containersOf(change: Partial<ContainerOptions> = {}): Containers {
  const images = imageOptionsIn(folder);
  return new Containers({ choice: "podman", hostId: "host", images, clock: systemClock, log, ...change });
}
const install = () => installFake(folder, { name: "podman", info: PODMAN_INFO });

describe("a server whose jobs may run in containers", () => {
  test("has a sandbox if the jobs without an image have one", () => {
    install();
    const containers = containersOf();
    expect(featuresForAll({ containers, wall: WALL })).toEqual(
      expect.arrayContaining(["sandbox", "network", "writable-folders", "mounts", "image", "user"]),
    );
    const without = featuresForAll({ containers });
    expect(without).toEqual(expect.arrayContaining(["image", "user"]));
    for (const feature of ["sandbox", "network", "writable-folders", "mounts"])
      expect(without).not.toContain(feature);
  });

  test("enforces what containers do if all steps run in one, and has no sandbox for notebooks", () => {
    install();
    const features = featuresForAll({ containers: containersOf({ defaultImage: "python:3" }) });
    expect(features).toEqual(expect.arrayContaining(["network", "writable-folders", "mounts", "core-limit"]));
    expect(features).not.toContain("sandbox");
  });

  test("runs no image once no runtime that `auto` finds works, and waits for one that was asked for", async () => {
    for (const name of ["podman", "docker"]) installFake(folder, { name, info: "" });
    for (const [choice, hasImage] of [
      ["auto", false],
      ["podman", true],
    ] as const) {
      const containers = containersOf({ choice });
      expect(await containers.runtime()).toHaveProperty("problem");
      expect(featuresForAll({ containers }).includes("image")).toBe(hasImage);
    }
  });

  test.each([
    ["podman", "4.3.1 true +1 +1 /store", { "core-limit": false, "disk-limit": true }],
    ["podman", PODMAN_INFO, { "core-limit": true, "disk-limit": true }],
    ["docker", "27.1.1  /var/lib/docker", { "core-limit": true, "disk-limit": false }],
  ] as const)("enforces the limits that %s does (%s)", async (choice, info, limits) => {
    installFake(folder, { name: choice, info });
    const containers = containersOf({ choice, defaultImage: "python:3" });
    await containers.runtime();
    const features = featuresForAll({ containers });
    for (const [feature, isEnforced] of Object.entries(limits))
      expect([feature, (features as readonly string[]).includes(feature)]).toEqual([feature, isEnforced]);
  });
});

test(
  "the log of a job warns of a disk limit that docker does not enforce",
  withLocal(async (local) => {
    const image = `image) echo '[{"Id":"sha256:1"}]' ;;`;
    installFake(folder, { name: "docker", info: "27.1.1  /", also: `${image} run) echo ran ;;` });
    const backend = local.open({ containers: containersOf({ choice: "docker" }) });
    const ran = await local.run(backend, "true", { image: "a:1", limits: { diskBytes: 2 ** 30 } });
    expect(ran.log).toBe("reprise: Not enforced on this server: a disk limit of 1 GiB.\nran\n");
  }),
);
