import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { attemptFolder } from "#backends/local/attempt-folder";
import { recordOfCopy } from "#backends/local/record";
import { codeOf } from "#plumbing/errors";

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
  if (!statSync(folder, { throwIfNoEntry: false })) return undefined;
  const text = maybeRead(path.join(folder, "record"));
  return { record: recordOfCopy(text, { endCounts, atMs }), logFile: path.join(folder, "log") };
}

/** Without one it may begin at any moment. */
function maybeRead(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  }
}
