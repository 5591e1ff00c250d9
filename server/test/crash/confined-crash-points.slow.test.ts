import { afterAll, beforeAll, describe } from "vitest";
import { HAS_PODMAN, openPodman, type Podman } from "#backends/container/podman-fixture";
import { HAS_BUBBLEWRAP } from "#backends/local/walls/sandbox-fixture";
import { testDeaths, testPoints } from "./crash-cases.ts";
import { addJobImage, inContainers, inSandbox } from "./job-places.ts";

/** The points around the life of a job. The long form walks all of them. */
describe.runIf(HAS_BUBBLEWRAP)("with jobs in the sandbox,", () => {
  testPoints(["order-sent", "exit-seen", "cancel-marked", "exit-written"], inSandbox);
});

describe.runIf(HAS_PODMAN)("with jobs in containers,", () => {
  let podman: Podman;
  beforeAll(() => {
    podman = openPodman();
    addJobImage(podman);
  });
  afterAll(() => podman.close());

  testDeaths(
    [["order-sent:2", "job-signalled:1"]],
    inContainers(() => podman),
  );
});
