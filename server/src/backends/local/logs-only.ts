import type { Backend } from "#backends/backend";
import { exportAttempts } from "#backends/local/attempts/export-attempts";
import { LOCAL, LOCAL_CAPABILITIES } from "#backends/local/capabilities";
import { attemptFolder, logBytes, readLogBytes } from "#backends/process/attempt/attempt-folder";
import { readingBackend } from "#backends/reading-backend";
import { systemClock } from "#plumbing/clock";

/** Opens the logs of this machine's jobs for a process that runs no jobs. */
export function openLogsOnly(folder: string): Backend {
  return readingBackend(
    { name: LOCAL, isHostBound: true, capabilities: LOCAL_CAPABILITIES },
    {
      readLog: (id, from, maxBytes) => readLogBytes(attemptFolder(folder, id), from, maxBytes),
      logSize: (id) => logBytes(attemptFolder(folder, id)),
      export: exportAttempts(folder, systemClock),
    },
  );
}
