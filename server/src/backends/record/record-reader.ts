import type { Backend } from "#backends/backend";
import { logBytes, readLogBytes } from "#backends/process/attempt/attempt-folder";
import { readingBackend } from "#backends/reading-backend";
import { exportRecords, type ExportOptions } from "#backends/record/export-records";
import { RecordFiles } from "#backends/record/record-files";
import type { BackendCapabilities } from "#workflow/capabilities";

interface ReaderOptions extends ExportOptions {
  readonly name: string;
  readonly capabilities: BackendCapabilities;
  readonly root: string;
}

/** Opens records for a process that runs no jobs. */
export function openRecordReader({ name, capabilities, root, ...options }: ReaderOptions): Backend {
  return readingBackend(
    { name, isHostBound: false, capabilities },
    recordLogs(new RecordFiles(root), options),
  );
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
