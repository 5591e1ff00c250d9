import type { WatchServices } from "#operations/watch/services";
import { isUnreadable, type JobLogs, type LogAddress, LogGoneError } from "#operations/stored-logs";
import { maskedLogs } from "#operations/watch/logs/masked-logs";
import type { Connection } from "#store/database/database";
import type { JobRecord } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";
import { isWorkspaceRemoved } from "#store/workspaces/workspaces";

export type { JobRecord } from "#store/jobs/jobs";

export interface LoggedJob {
  readonly job: JobRecord;
  readonly log: string;
}

const REMOVED = "[The log of this job was removed when its run was deleted.]\n";
const LEFT_OUT =
  "[Earlier output is left out here, because one reply carries a limited amount of it. " +
  "Ask for fewer jobs at once (page and size, or the names of steps) to see more of each.]\n";

/**
 * Returns the output of jobs, at most `maxBytes` in total. Each job may use an even share of the remaining
 * space: space not needed by a short log goes to later logs. Only the end of a log exceeding its share is
 * shown.
 */
export async function readJobLogs(
  context: Pick<WatchServices, "db" | "jobLogs" | "secrets">,
  run: Run,
  jobs: readonly JobRecord[],
  maxBytes: number,
): Promise<LoggedJob[]> {
  if (await isLogRemoved(context.db, run)) return jobs.map((job) => ({ job, log: REMOVED }));
  const logs = maskedLogs(context, run.ownerId);
  let left = maxBytes;
  const logged: LoggedJob[] = [];
  for (const [index, job] of jobs.entries()) {
    const share = Math.floor(left / (jobs.length - index));
    // An extra byte tells whether there is more than may be shown.
    const bytes = await readOrReason(logs, logOf(job), share + 1);
    const isWhole = bytes.length <= share;
    const note = job.takenFrom ? `[${job.detail}]\n` : "";
    logged.push({ job, log: note + (isWhole ? bytes.toString("utf8") : LEFT_OUT + endOf(bytes)) });
    left -= Math.min(bytes.length, share);
  }
  return logged;
}

/** Reads the end of a log. If the log cannot be read, the reason takes its place. */
async function readOrReason(
  logs: Pick<JobLogs, "read">,
  address: LogAddress,
  maxBytes: number,
): Promise<Buffer> {
  try {
    return await logs.read(address, -maxBytes, maxBytes);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    if (error instanceof LogGoneError) return Buffer.from(`[${error.message}]\n`);
    return Buffer.from(`[The log of this job cannot be read now. ${error.message}]\n`);
  }
}

/**
 * Returns whether a run's logs are gone. Logs are removed with the run's files, once no other run shares the
 * files.
 */
export async function isLogRemoved(db: Connection, run: Run): Promise<boolean> {
  return run.status === "deleted" && isWorkspaceRemoved(db, run.workspaceId);
}

/** Returns the address of the log to show. A job that was taken over printed nothing itself. */
export function logOf(job: Pick<JobRecord, "id" | "takenFrom" | "backend">): LogAddress {
  return `${job.backend}/${job.takenFrom ?? job.id}`;
}

/** Returns the end of a text that is too long. */
export function lastPart(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, "utf8");
  return bytes.length <= maxBytes ? text : LEFT_OUT + endOf(bytes.subarray(bytes.length - maxBytes - 1));
}

/** Drops the first byte, and everything up to the first whole line, or the first whole character if no line starts. */
function endOf(bytes: Buffer): string {
  const newline = bytes.indexOf(0x0a);
  if (newline !== -1 && newline < bytes.length - 1) return bytes.toString("utf8", newline + 1);
  let start = 1;
  while (start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start += 1;
  return bytes.toString("utf8", start);
}
