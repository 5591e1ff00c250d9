import { backendStates } from "#backends/state-suite";
import { fakeBackend } from "../support/fake-backend.ts";

/** The simulation's backend must behave like the real ones. */
backendStates("The backend of the simulation", async () => {
  const backend = fakeBackend();
  return {
    backend,
    reopen: async () => backend,
    bootId: "boot",
    finish: (id, exitCode) => backend.end(id, { exitCode }),
  };
});
