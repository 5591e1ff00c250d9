import type { Backends } from "#backends/backends";
import { Refusal } from "#plumbing/errors";
import type { ReportedEnd } from "#runner/turn/arrivals";
import type { UserSecrets } from "#runner/jobs/user-secrets";
import type { Run } from "#store/runs/runs";
import type { RunFiles } from "#workspace/run-files";

/** Limits on what is kept of the messages of a failed job. */
const LAST_LINES = 20;
const LAST_LINES_MAX_BYTES = 8192;
/** Limit on the lines from message files. */
const OWN_LINES = 15;

interface LastLinesContext {
  readonly backends: Backends;
  readonly secrets?: UserSecrets;
  readonly files: Pick<RunFiles, "readEnd">;
}

/**
 * Returns the last lines of a job's log and of its message files. Secrets are masked, because the lines are
 * recorded.
 */
export async function lastLinesOf(
  { backends, secrets, files }: LastLinesContext,
  { ownerId }: Run,
  { backend, id, job }: ReportedEnd,
): Promise<readonly string[]> {
  const mask = await secrets?.mask(ownerId);
  const length = LAST_LINES_MAX_BYTES + (mask?.reach ?? 0);
  const linesIn = (read: Buffer): readonly string[] => {
    const bytes = (mask?.apply(read, true) ?? read).subarray(-LAST_LINES_MAX_BYTES);
    const text = bytes.toString("utf8").trimEnd();
    return text === "" ? [] : text.split("\n").slice(-LAST_LINES);
  };
  const printed = linesIn(await backends.named(backend).readLog(id, -length, length));
  const written: string[] = [];
  for (const file of job.logFiles ?? []) {
    const most = OWN_LINES - written.length - 1;
    const lines = most < 1 ? [] : linesIn(await endOf(files, file, length)).slice(-most);
    if (lines.length > 0) written.push(`The end of ${file}:`, ...lines);
  }
  return [...printed.slice(-(LAST_LINES - written.length)), ...written];
}

/** Returns an empty text for a file that the job has not made, or that may not be read. */
async function endOf(files: LastLinesContext["files"], file: string, length: number): Promise<Buffer> {
  try {
    return await files.readEnd(file, length);
  } catch (error) {
    if (error instanceof Refusal) return Buffer.alloc(0);
    throw error;
  }
}
