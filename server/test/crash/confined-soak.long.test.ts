import { expect, test } from "vitest";
import { NO_PODMAN, sharedPodman } from "#backends/containers/podman-fixture";
import { NO_BUBBLEWRAP } from "#backends/walls/sandbox-fixture";
import { addJobImage, inContainers, inSandbox } from "./job-places.ts";
import { newSeed, soak, type SoakOptions } from "./soak.ts";
import { describeUnless, testUnless } from "#plumbing/needs-suite";

const seed = newSeed();
const soaked = async (change: Partial<SoakOptions>) => {
  const options = { seed, runs: 400, killsMin: 10, people: 8, killAfterMs: [5000, 10_000] as const };
  const { broken, totals } = await soak({ ...options, ...change });
  expect(broken, `SOAK_SEED=${seed} ${JSON.stringify(totals)}`).toEqual([]);
};

testUnless(NO_BUBBLEWRAP)("400 runs in the sandbox survive a server that is killed every few seconds", () =>
  soaked({ openPlace: inSandbox }),
);

describeUnless(NO_PODMAN)("with a podman of its own", () => {
  const podman = sharedPodman(addJobImage);

  test("100 runs in containers survive it too", () => soaked({ runs: 100, openPlace: inContainers(podman) }));
});
