import type { Backend } from "#backends/backend";
import { removeAttempt, type RemoveTree } from "#backends/process/attempt/attempt-folder";
import type { ExportOptions } from "#backends/record/export-records";
import type { OrderOptions } from "#backends/record/order";
import type { Place } from "#backends/record/place";
import { RecordFiles } from "#backends/record/record-files";
import { recordLogs } from "#backends/record/record-reader";
import { Records } from "#backends/record/records";
import { SentJobs } from "#backends/record/sent-jobs";
import { Watch, type WatchTimes } from "#backends/record/watch";
import type { Clock } from "#plumbing/clock";
import type { BackendCapabilities } from "#workflow/capabilities";

export interface RecordBackendOptions extends OrderOptions, ExportOptions {
  readonly capabilities: BackendCapabilities;
  readonly place: Place;
  /** The folder of the records, which every node sees at the same path. */
  readonly root: string;
  readonly clock: Clock;
  readonly removeTree: RemoveTree;
  readonly log: { error(details: object, message: string): void };
  readonly times?: Partial<WatchTimes>;
}

/**
 * Runs jobs on a cluster by records in a shared folder (record-files.ts). The cluster only starts the supervisor of a
 * record. Whatever the cluster says or forgets, the command runs at most once, and the record says how it ended.
 */
export function openRecordBackend(options: RecordBackendOptions): Backend {
  const { place, clock, capabilities, removeTree } = options;
  const files = new RecordFiles(options.root);
  const token = files.open();
  const records = new Records(files, place.name, clock);
  const watch = new Watch({ ...options, records });
  const jobs = new SentJobs({ ...options, records, watch, token });
  return {
    ...recordLogs(files, options),
    name: place.name,
    isHostBound: false,
    capabilities,
    hostToken: token,
    submit: (request) => jobs.submit(request),
    mayQueue: () => true,
    cancel: (request) => jobs.cancel(request),
    declareLost: async (id) => jobs.declareLost(id),
    watch: (listener) => watch.listen(listener),
    // The supervisor of a job ends all processes of the job on its node, before it records the end.
    endLeftovers: async () => undefined,
    remove: async (ids) => {
      for (const id of ids) await removeAttempt(files.folderOf(id), removeTree);
    },
    away: () => watch.absence,
    close: async () => {
      watch.close();
      await place.close?.();
    },
    runningJobs: () => watch.size,
  };
}
