import { describe } from "vitest";
import { containerContract } from "#backends/container/containers-fixture";
import { HAS_PODMAN, sharedPodman } from "#backends/container/podman-fixture";

describe.runIf(HAS_PODMAN)("in containers of podman", () => {
  containerContract(sharedPodman());
});
