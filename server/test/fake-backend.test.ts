import { backendStates } from "#backends/state-suite";
import { fakeBackend } from "./support/fake-backend.ts";

/** What the simulation runs against must behave as the real ones do. */
backendStates("The backend of the simulation", async () => {
  const backend = fakeBackend();
  return {
    backend,
    reopen: async () => backend,
    bootId: "boot",
    finish: (id, exitCode) => backend.end(id, { exitCode }),
  };
});
