import { containerContract } from "#backends/containers/containers-fixture";
import { NO_PODMAN, sharedPodman } from "#backends/containers/podman-fixture";
import { describeUnless } from "#plumbing/needs-suite";

describeUnless(NO_PODMAN)("in containers of podman", () => {
  containerContract(sharedPodman());
});
