import { expect, test } from "vitest";
import { killedAnywhere } from "#backends/containers/killed-suite";
import { NO_PODMAN, sharedPodman } from "#backends/containers/podman-fixture";
import { describeUnless } from "#plumbing/needs-suite";

describeUnless(NO_PODMAN)(
  "at a hundred moments, server, slot, client, monitor and runtime, each killed while a container starts and ends",
  () => {
    const podman = sharedPodman();

    test("leave no container, and no command runs twice", async () => {
      expect(await killedAnywhere(podman(), 100)).toEqual([]);
    });
  },
);
