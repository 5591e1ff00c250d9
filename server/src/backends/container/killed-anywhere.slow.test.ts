import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { killedAnywhere } from "#backends/container/killed-suite";
import { HAS_PODMAN, openPodman, type Podman } from "#backends/container/podman-fixture";

describe.runIf(HAS_PODMAN)(
  "server, slot, client, monitor and runtime, each killed while a container starts and ends",
  () => {
    let podman: Podman;
    beforeAll(() => {
      podman = openPodman();
    });
    afterAll(() => podman.close());

    test("leave no container, and no command runs twice", async () => {
      expect(await killedAnywhere(podman, 2)).toEqual([]);
    });
  },
);
