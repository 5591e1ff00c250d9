import { lstatSync } from "node:fs";
import path from "node:path";
import type { ExportJob } from "#backends/backend";
import { containerFiles } from "#backends/containers/started-container";
import { attemptFolder } from "#backends/process/attempt/attempt-folder";
import { DamagedAttempt } from "#backends/process/attempt/damaged-attempt";
import { recordText } from "#backends/process/attempt/record";
import { damagedRecord, recordOfCopy } from "#backends/process/attempt/record-lines";
import type { Clock } from "#plumbing/clock";

/** Exports the record, the log and the container file of each attempt, even while a server runs. */
export function exportAttempts(root: string, clock: Clock): ExportJob {
  return async (id, { endCounts }) => {
    const folder = attemptFolder(root, id);
    if (!lstatSync(folder, { throwIfNoEntry: false })) return [];
    const record = recordForCopy(folder, { endCounts, atMs: clock.now() });
    // The log is copied after the record was read: if the record has an end, the log is complete.
    return [
      { path: `${id}/record`, content: record },
      { path: `${id}/log`, copyOf: path.join(folder, "log") },
      ...containerFiles(folder).map((name) => ({ path: `${id}/${name}`, copyOf: path.join(folder, name) })),
    ];
  };
}

function recordForCopy(folder: string, how: { readonly endCounts: boolean; readonly atMs: number }): string {
  try {
    // Without a record the job may start at any moment.
    return recordOfCopy(recordText(folder) ?? "", how);
  } catch (error) {
    if (error instanceof DamagedAttempt) return damagedRecord(error, how.atMs);
    throw error;
  }
}
