import { NO_PODMAN, sharedPodman } from "#backends/containers/podman-fixture";
import { NO_BUBBLEWRAP } from "#backends/walls/sandbox-fixture";
import { testDeaths, testPoints } from "./crash-cases.ts";
import { addJobImage, inContainers, inSandbox } from "./job-places.ts";
import { describeUnless } from "#plumbing/needs-suite";

// Points around the life of a job: a few in the sandbox, and one in containers. The long form walks all of them in both.

describeUnless(NO_BUBBLEWRAP)("with jobs in the sandbox,", () => {
  testPoints(["order-sent", "exit-seen", "cancel-marked", "exit-written"], inSandbox);
});

describeUnless(NO_PODMAN)("with jobs in containers,", () => {
  testDeaths([["order-sent:2", "job-signalled:1"]], inContainers(sharedPodman(addJobImage)));
});
