import { describe } from "vitest";
import { containerContract } from "#backends/containers/containers-fixture";
import { HAS_PODMAN, sharedPodman } from "#backends/containers/podman-fixture";

describe.runIf(HAS_PODMAN)("in containers of podman", () => {
  containerContract(sharedPodman());
});
