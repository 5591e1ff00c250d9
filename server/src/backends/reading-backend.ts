import type { Backend } from "#backends/backend";

/** Returns a backend for a process that reads logs and runs no jobs. Another process may use the folder. */
export function readingBackend(
  identity: Pick<Backend, "name" | "isHostBound" | "capabilities">,
  logs: Pick<Backend, "readLog" | "logSize" | "export">,
): Backend {
  const refuse = () => Promise.reject(new Error("This process only reads: it runs and ends no jobs."));
  return {
    ...identity,
    ...logs,
    hostToken: "",
    submit: refuse,
    cancel: refuse,
    endLeftovers: refuse,
    remove: refuse,
    watch: () => () => undefined,
    away: () => undefined,
    close: async () => undefined,
    runningJobs: () => 0,
  };
}
