import path from "node:path";
import type { ExportJob } from "#backends/backend";
import type { RecordFiles } from "#backends/record/record-files";
import { endText } from "#backends/record/record-text";
import type { Clock } from "#plumbing/clock";

export interface ExportOptions {
  /** The path of the records below the folder of all jobs. */
  readonly exportPath: string;
  readonly clock: Pick<Clock, "now">;
}

/** Exports the claim, the end and the log of a record, for a backup. A job without a counted end is lost in the restored server. */
export function exportRecords(files: RecordFiles, { exportPath, clock }: ExportOptions): ExportJob {
  return async (id, { endCounts }) => {
    if (!files.has(id, ".")) return [];
    const place = path.join(exportPath, path.relative(files.root, files.folderOf(id)));
    const [noted, image, end, seen = ""] = ["noted", "image", "end", "seen"].map((name) =>
      files.maybeText(id, name),
    );
    const lost = endText({ reason: "lost", startedAtMs: null, endedAtMs: clock.now() });
    // The log is copied after the end was read: with an end, the log is complete.
    return [
      { path: `${place}/claim/owner`, content: "nobody\n" },
      { path: `${place}/end`, content: (endCounts ? end : undefined) ?? lost },
      { path: `${place}/seen`, content: seen },
      ...(noted === undefined ? [] : [{ path: `${place}/noted`, content: noted }]),
      ...(image === undefined ? [] : [{ path: `${place}/image`, content: image }]),
      ...(files.has(id, "log")
        ? [{ path: `${place}/log`, copyOf: path.join(files.folderOf(id), "log") }]
        : []),
    ];
  };
}
