import type { Caller } from "#operations/context";
import type { WatchServices } from "#operations/watch/services";
import type { LogAddress } from "#operations/stored-logs";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { isLogRemoved, logOf } from "#operations/watch/logs/job-logs";
import { maskedLogs } from "#operations/watch/logs/masked-logs";
import type { RunView } from "#operations/watch/progress/run-view";
import type { Subscription } from "#operations/watch/follow/shared-poller";
import { Refusal } from "#plumbing/errors";
import { type JobRecord, maybeJob } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";

export interface JobLogQuery {
  /** UUID or name of the run. */
  readonly address: string;
  /** Id or key of the job. */
  readonly job: string;
  /** First byte to read. A negative number counts from the end. */
  readonly from: number;
  /** Continue until the job has ended. */
  readonly follow: boolean;
}

export interface JobLog {
  readonly run: Run;
  readonly job: JobRecord;
  readonly from: number;
  /**
   * Yields what is there now, or with `follow` all until the job ends. Throws if the run is deleted while it is read,
   * or if the signal aborts.
   */
  chunks(signal: AbortSignal): AsyncGenerator<Buffer>;
}

type JobLogs = ReturnType<typeof maskedLogs>;

/** Access to logs, masked with the user's secrets at the time of each read: following a log can take days. */
interface Reading extends Pick<WatchServices, "watching"> {
  maskedLogs(): JobLogs;
}

/** Memory per reader of a log, independent of the reader's speed. */
const CHUNK_BYTES = 64 * 1024;

/** Opens the output of one job as a stream of bytes. */
export async function followJobLog(
  context: Pick<WatchServices, "db" | "clock" | "jobLogs" | "secrets" | "watching">,
  caller: Caller,
  wanted: JobLogQuery,
): Promise<JobLog> {
  const { db, watching } = context;
  const run = await findRun(context, caller, wanted.address, "see");
  const reading: Reading = { watching, maskedLogs: () => maskedLogs(context, run.ownerId) };
  const job = await maybeJob(db, run.id, wanted.job);
  const name = fullNameOf(run);
  if (!job) throw new Refusal("absent", `Workflow ${name} has no job ${wanted.job.slice(0, 100)}.`);
  if (await isLogRemoved(db, run)) {
    throw new Refusal("absent", `The logs of workflow ${name} were removed when it was deleted.`);
  }
  // Asked before the stream begins, so that a log which cannot be read now is refused with the reason.
  const sizeNow = await context.jobLogs.size(logOf(job));
  const from = wanted.from < 0 ? Math.max(0, sizeNow + wanted.from) : wanted.from;
  const chunks = (signal: AbortSignal) =>
    wanted.follow ? untilItsEnd(reading, job, from, signal) : untilNow(reading, logOf(job), from, signal);
  return { run, job, from, chunks };
}

/** Yields the log up to its current length. */
async function* untilNow(
  { maskedLogs: logs }: Reading,
  address: LogAddress,
  from: number,
  signal: AbortSignal,
) {
  const jobLogs = logs();
  yield* bytesBetween(jobLogs, address, { from, to: await jobLogs.size(address) }, signal);
}

/** Yields the log until the job has ended. The final length is read only after the end was seen, never before. */
async function* untilItsEnd(
  { watching, maskedLogs: logs }: Reading,
  job: JobRecord,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const run = watching.runs.subscribe(job.runId);
  const sizes = watching.logSizes.subscribe(logOf(job));
  try {
    let at = from;
    let seen: Seen = { view: await run.next(), size: await sizes.next() };
    for (;;) {
      const jobLogs = logs();
      const isOver = !seen.view.open.has(job.id);
      const to = isOver ? await jobLogs.size(logOf(job)) : seen.size;
      if (at > from && to < at) throw becameShorter(logOf(job), to);
      for await (const chunk of bytesBetween(jobLogs, logOf(job), { from: at, to }, signal)) {
        at += chunk.length;
        yield chunk;
      }
      if (isOver) return;
      seen = await somethingNew(run, sizes, seen, signal);
    }
  } finally {
    run.unsubscribe();
    sizes.unsubscribe();
  }
}

interface Seen {
  readonly view: RunView;
  readonly size: number;
}

/** Waits until the run has changed or the log has grown. */
async function somethingNew(
  run: Subscription<RunView>,
  sizes: Subscription<number>,
  { view, size }: Seen,
  signal: AbortSignal,
): Promise<Seen> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  try {
    return await Promise.race([
      run.after(view, either).then((next) => ({ view: next, size })),
      sizes.after(size, either).then((next) => ({ view, size: next })),
    ]);
  } finally {
    over.abort();
  }
}

async function* bytesBetween(
  jobLogs: JobLogs,
  address: LogAddress,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (let at = from; at < to;) {
    signal.throwIfAborted();
    const chunk = await jobLogs.read(address, at, Math.min(CHUNK_BYTES, to - at));
    if (chunk.length === 0) throw becameShorter(address, at);
    yield chunk;
    at += chunk.length;
  }
}

/** Error for a log removed with its run: the reader must not mistake the received part for the whole. */
function becameShorter(address: LogAddress, bytes: number): Error {
  return new Error(`The log of job ${address} became shorter while it was read: it ends at ${bytes}.`);
}
