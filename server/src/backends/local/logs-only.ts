import { attemptFolder, logBytes, readLogBytes } from "#backends/process/attempt/attempt-folder";
import { exportAttempts } from "#backends/local/attempts/export-attempts";
import { LOCAL, LOCAL_CAPABILITIES } from "#backends/local/capabilities";
import type { Backend } from "#backends/backend";
import { systemClock } from "#plumbing/clock";

/**
 * Opens the logs of this machine's jobs for a process that runs no jobs. Another process may use the folder
 * at the same time.
 */
export function openLogsOnly(folder: string): Backend {
  const refuse = () => Promise.reject(new Error("This process only reads: it runs and ends no jobs."));
  return {
    name: LOCAL,
    isHostBound: true,
    capabilities: LOCAL_CAPABILITIES,
    hostToken: "",
    submit: refuse,
    cancel: refuse,
    endLeftovers: refuse,
    remove: refuse,
    watch: () => () => undefined,
    readLog: (id, from, maxBytes) => readLogBytes(attemptFolder(folder, id), from, maxBytes),
    logSize: (id) => logBytes(attemptFolder(folder, id)),
    away: () => undefined,
    export: exportAttempts(folder, systemClock),
    close: async () => undefined,
    runningJobs: () => 0,
  };
}
