import { attemptFolder, logBytes, readLogBytes } from "#backends/local/attempt/attempt-folder";
import type { Backend } from "#backends/backend";

/**
 * Opens the logs of this machine's jobs for a process that runs none, beside the process that uses the folder, if there
 * is one.
 */
export function openLogsOnly(folder: string): Backend {
  const refuse = () => Promise.reject(new Error("This process only reads: it runs and ends no jobs."));
  return {
    name: "Local",
    isHostBound: true,
    submit: refuse,
    cancel: refuse,
    endLeftovers: refuse,
    remove: refuse,
    watch: () => () => undefined,
    readLog: (id, from, maxBytes) => readLogBytes(attemptFolder(folder, id), from, maxBytes),
    logSize: (id) => logBytes(attemptFolder(folder, id)),
    close: async () => undefined,
    runningJobs: () => 0,
  };
}
