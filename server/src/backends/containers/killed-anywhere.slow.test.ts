import { describe, expect, test } from "vitest";
import { killedAnywhere } from "#backends/containers/killed-suite";
import { HAS_PODMAN, sharedPodman } from "#backends/containers/podman-fixture";

describe.runIf(HAS_PODMAN)(
  "server, slot, client, monitor and runtime, each killed while a container starts and ends",
  () => {
    const podman = sharedPodman();

    test("leave no container, and no command runs twice", async () => {
      expect(await killedAnywhere(podman(), 2)).toEqual([]);
    });
  },
);
