import type { OpenBackend } from "#backends/backend-fixture";
import { outsideStates } from "#backends/outside-suite";
import { backendStates } from "#backends/state-suite";
import { type FakeOptions, fakeBackend } from "../support/fakes/fake-backend.ts";

/** The backends in memory must behave like the real ones. */
const openFake =
  (options: FakeOptions): OpenBackend =>
  async () => {
    const backend = fakeBackend(options);
    const place = { ...backend, finish: (id: string, exitCode: number) => backend.end(id, { exitCode }) };
    return { backend, reopen: async () => backend, place };
  };

const ofHost = openFake({});
const ofCluster = openFake({ isHostBound: false, outsideIdOf: (id) => `job-${id}` });

backendStates("The fake backend of a host", ofHost);
backendStates("The fake backend of a cluster", ofCluster);
outsideStates("The fake backend of a cluster", ofCluster);
