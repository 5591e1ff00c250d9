import path from "node:path";
import { folderOf, type OpenBackend, removeTree } from "#backends/backend-fixture";
import { RECORD_FEATURES } from "#backends/record/features";
import type { Place } from "#backends/record/place";
import { openRecordBackend, type RecordBackendOptions } from "#backends/record/record-backend";
import { systemClock } from "#plumbing/clock";

/** Fails a test whose backend reports a fault. */
const log = {
  error(details: object, message: string) {
    throw new Error(message, { cause: details });
  },
};

/** The options of a backend over records, with short intervals. */
export function recordOptions(folder: string, place: Place): RecordBackendOptions {
  return {
    place,
    root: path.join(folder, "records"),
    exportPath: "records",
    capabilities: { computeBackends: ["forks"], provides: () => RECORD_FEATURES },
    outsideVariables: { id: "FORK_ID", restart: "FORK_RESTARTS" },
    hostId: "host",
    maxOutputBytes: 2 ** 20,
    clock: systemClock,
    removeTree,
    log,
    times: { newsMs: 20, listMs: 100, doubtMs: 300 },
  };
}

/** Opens a backend over records for the suites of the contract. */
export function openRecords(createPlace: () => Place): OpenBackend {
  return async (folder) => {
    const place = createPlace();
    const open = (in_: string) => openRecordBackend(recordOptions(in_, place));
    return {
      backend: open(folder),
      reopen: async () => open(folder),
      openCopy: async (files) => open(await folderOf(files)),
      losesOtherTokens: true,
      ownVariables: ["FORK_ID"],
    };
  };
}
