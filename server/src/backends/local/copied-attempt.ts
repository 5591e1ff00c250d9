import { lstatSync } from "node:fs";
import path from "node:path";
import { attemptFolder } from "#backends/local/attempt-folder";
import { DamagedAttempt } from "#backends/local/damaged-attempt";
import { recordText } from "#backends/local/record";
import { damagedRecord, recordOfCopy } from "#backends/local/record-lines";

/** What a copy of the data folder needs of an attempt: what is told of it, and what it printed. */
export interface CopiedAttempt {
  readonly record: string;
  /** To be read after the record: of a job that has ended by its record all of it is there. */
  readonly logFile: string;
}

/**
 * Nothing when there is no such attempt (any more). In the copy no process belongs to it: one that has recorded no end
 * is lost there. So is, unless `endCounts`, one that has: whether what it did to its files is in the copy, nobody knows.
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
    // Without a record the job may begin at any moment.
    return { record: recordOfCopy(recordText(folder) ?? "", { endCounts, atMs }), logFile };
  } catch (error) {
    if (error instanceof DamagedAttempt) return { record: damagedRecord(error, atMs), logFile };
    throw error;
  }
}
