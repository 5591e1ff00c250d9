import { lstatSync } from "node:fs";
import path from "node:path";
import { attemptFolder } from "#backends/local/attempt/attempt-folder";
import { DamagedAttempt } from "#backends/local/attempt/damaged-attempt";
import { recordText } from "#backends/local/attempt/record";
import { damagedRecord, recordOfCopy } from "#backends/local/attempt/record-lines";

/** The parts of an attempt that a copy of the data folder needs: its record and its log. */
export interface CopiedAttempt {
  readonly record: string;
  /** Must be read after the record: if the record has an end, the log is complete. */
  readonly logFile: string;
}

/**
 * Returns undefined if there is no such attempt (any more). No process belongs to the attempt in the copy, so a
 * job without a recorded end is lost there. A job with one is lost too unless `endCounts`: the copy may lack what it
 * did to its files.
 */
export function maybeCopyAttempt(
  root: string,
  id: string,
  { endCounts, atMs }: { readonly endCounts: boolean; readonly atMs: number },
): CopiedAttempt | undefined {
  const folder = attemptFolder(root, id);
  if (!lstatSync(folder, { throwIfNoEntry: false })) return undefined;
  const logFile = path.join(folder, "log");
  try {
    // Without a record the job may start at any moment.
    return { record: recordOfCopy(recordText(folder) ?? "", { endCounts, atMs }), logFile };
  } catch (error) {
    if (error instanceof DamagedAttempt) return { record: damagedRecord(error, atMs), logFile };
    throw error;
  }
}
