import type { Backend } from "#backends/backend";
import { logBytes, readLogBytes } from "#backends/process/attempt/attempt-folder";
import { exportRecords, type ExportOptions } from "#backends/record/export-records";
import { RecordFiles } from "#backends/record/record-files";
import type { BackendCapabilities } from "#workflow/capabilities";

interface ReaderOptions extends ExportOptions {
  readonly name: string;
  readonly capabilities: BackendCapabilities;
  readonly root: string;
}

/** Opens records for a process that runs no jobs, and does not watch any. Another process may use the folder. */
export function openRecordReader({ name, capabilities, root, ...options }: ReaderOptions): Backend {
  const refuse = () => Promise.reject(new Error("This process only reads: it runs and ends no jobs."));
  return {
    ...recordLogs(new RecordFiles(root), options),
    name,
    isHostBound: false,
    capabilities,
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

/** The part of a backend that only reads records. */
export function recordLogs(
  files: RecordFiles,
  options: ExportOptions,
): Pick<Backend, "readLog" | "logSize" | "export"> {
  return {
    readLog: (id, from, maxBytes) => readLogBytes(files.folderOf(id), from, maxBytes),
    logSize: (id) => logBytes(files.folderOf(id)),
    export: exportRecords(files, options),
  };
}
