import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { jobInWords, prefixed } from "#cli/run/display/display";
import { jobOutput } from "#cli/run/display/job-output";
import type { JobView, RunService } from "#cli/run/service/run-service";
import { duration } from "#plumbing/text/duration";
import type { Connection } from "#store/database/database";
import { type JobRecord, pageOfJobs } from "#store/jobs/jobs";
import { isOpenJob, maybeTookMs, TAKEN_OVER } from "#workflow/job/job";

const COMMAND_LENGTH = 2000;
/** Number of jobs that are read at once. */
const PAGE_SIZE = 500;

export interface ProgressOptions {
  readonly db: Connection;
  readonly runId: string;
  readonly service: Pick<RunService, "printed">;
  /** True if the output of each job is shown when the job has ended. */
  readonly isVerbose: boolean;
  /** The folder that gets the output of each job as a file. */
  readonly logDir: string | undefined;
  readonly tell: (line: string) => void;
}

/** Tells the starts and the ends of a run's jobs, each once. */
export class Progress {
  readonly #options: ProgressOptions;
  /** Ordinals of started jobs. */
  readonly #started = new Set<number>();
  /** Ordinals of jobs that have ended, from `#from` on. */
  readonly #ended = new Set<number>();
  /** Ordinal of the first job that has not ended. Earlier jobs are never read again. */
  #from = 0;

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  /** Tells what has happened since the last look. */
  async look(): Promise<void> {
    const { db, runId } = this.#options;
    for (let offset = this.#from; ; offset += PAGE_SIZE) {
      const jobs = await pageOfJobs(db, { runId, offset, limit: PAGE_SIZE });
      for (const job of jobs) await this.#tell(job);
      if (jobs.length < PAGE_SIZE) return;
    }
  }

  async #tell(job: JobRecord): Promise<void> {
    const view = viewOf(job);
    if (view.status === "created" || this.#ended.has(job.ordinal)) return;
    const { tell } = this.#options;
    if (!this.#started.has(job.ordinal) && job.reason !== "not-started") tell(startOf(job, view));
    this.#started.add(job.ordinal);
    if (isOpenJob(job.status)) return;
    if (this.#options.isVerbose) await this.#tellOutput(view);
    if (this.#options.logDir !== undefined && job.reason !== TAKEN_OVER)
      await this.#keepOutput(job, this.#options.logDir);
    if (job.reason !== TAKEN_OVER) tell(endOf(job));
    this.#ended.add(job.ordinal);
    while (this.#ended.delete(this.#from)) this.#from += 1;
  }

  async #keepOutput({ id, key, attempt }: JobRecord, folder: string): Promise<void> {
    const { service, runId } = this.#options;
    const name = `${key.replaceAll("/", "_")}${attempt > 1 ? `_attempt_${attempt}` : ""}.log`;
    await mkdir(folder, { recursive: true });
    await pipeline(service.printed(runId, id, 0), createWriteStream(path.join(folder, name)));
  }

  async #tellOutput(view: JobView): Promise<void> {
    const { service, runId, tell } = this.#options;
    const output = jobOutput(service, runId, (job, lines) =>
      lines.forEach((line) => tell(prefixed(job, line))),
    );
    await output.read(view);
  }
}

function viewOf(job: JobRecord): JobView {
  return {
    id: job.id,
    step: job.key,
    label: job.key,
    command: job.command,
    shownCommand: job.command,
    status: job.status === "queued" ? "created" : job.status,
    reason: job.reason,
    tookMs: maybeTookMs(job),
  };
}

function labelOf({ key, attempt }: JobRecord): string {
  return attempt > 1 ? `[job ${key}, attempt ${attempt}]` : `[job ${key}]`;
}

function startOf(job: JobRecord, view: JobView): string {
  const verb = job.reason === TAKEN_OVER ? "taken over from an earlier run" : "started";
  return `${labelOf(job)} ${verb}: ${jobInWords({ ...view, label: "" }, COMMAND_LENGTH)}`;
}

function endOf(job: JobRecord): string {
  const tookMs = maybeTookMs(job);
  const after = tookMs === undefined ? "" : ` after ${duration(tookMs)}`;
  if (job.status === "finished") return `${labelOf(job)} finished${after}`;
  const exit = job.exitCode === null ? (job.reason ?? job.status) : `exit code ${job.exitCode}`;
  return `${labelOf(job)} ${job.status}${after} (${exit})`;
}
