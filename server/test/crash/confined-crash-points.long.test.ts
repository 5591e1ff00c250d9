import type { CrashPoint } from "#plumbing/crash-points";
import { NO_PODMAN, sharedPodman } from "#backends/containers/podman-fixture";
import { NO_BUBBLEWRAP } from "#backends/walls/sandbox-fixture";
import { deathsAt, testDeaths } from "./crash-cases.ts";
import { addJobImage, inContainers, inSandbox } from "./job-places.ts";
import { describeUnless } from "#plumbing/needs-suite";

/** The points around the life of a job. The effects of the others do not depend on where jobs run. */
const POINTS: readonly CrashPoint[] = [
  "attempt-made",
  "job-secrets-written",
  "order-sent",
  "job-submitted",
  "claim-seen",
  "exit-seen",
  "end-heard",
  "job-secrets-removed",
  "claim-taken",
  "cancel-marked",
  "job-signalled",
  "job-gone",
  "exit-written",
  "jobs-cancelled",
  "leftovers-ended",
  "attempt-removed",
  "attempts-removed",
];
const AGAIN = [
  ["attempt-made:2", "order-sent:1"],
  ["delete-recorded:2", "claim-seen:1", "claim-seen:1"],
  ["exit-seen:2", "exit-seen:1"],
  ["claim-taken:1", "exit-written:1"],
  ["cancel-marked:1", "job-signalled:1"],
];
const ALL = [...POINTS.map(deathsAt), ...AGAIN];

describeUnless(NO_BUBBLEWRAP)("with jobs in the sandbox,", () => {
  testDeaths(ALL, inSandbox);
});

describeUnless(NO_PODMAN)("with jobs in containers,", () => {
  testDeaths(ALL, inContainers(sharedPodman(addJobImage)));
});
