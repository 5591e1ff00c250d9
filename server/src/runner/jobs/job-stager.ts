import { Refusal } from "#plumbing/errors";
import type { Submission } from "#runner/turn/decide";
import type { Workspace } from "#workspace/workspace";

/**
 * Puts the files of jobs in place before the jobs are submitted, in parallel to the run's turns: a copy may
 * take an hour, and neither a stop nor another job waits for it.
 */
export interface JobStager {
  /**
   * Stages the files of a job, a few jobs at a time. `onStaged` or `onRefused` follows, unless staging is
   * aborted.
   */
  stage(job: Submission): void;
  /** Forgets the staged files of jobs whose ends are recorded. */
  forget(jobIds: readonly string[]): void;
  /** Aborts staging, even within a file. No further file is staged. */
  breakOff(): void;
  /** Resolves when no staging is in progress, including the steps after staging. */
  settled(): Promise<void>;
}

export interface StagerOptions {
  readonly workspace: Pick<Workspace, "stage" | "forgetStaged">;
  readonly assertLease: () => Promise<void>;
  readonly onStaged: (job: Submission) => void;
  readonly onRefused: (job: Submission, refusal: Refusal) => Promise<void>;
  /** Called if this server cannot continue. */
  readonly onFailure: (error: unknown) => void;
}

/** Copies share one disk: more at once would not be faster. */
const CONCURRENT_MAX = 4;
/** Shared abort reason: Node would otherwise create an error with a stack for every run that ends. */
const BROKEN_OFF = new Error("The run stages no more files.");

export function createJobStager(options: StagerOptions): JobStager {
  return new Stager(options);
}

class Stager implements JobStager {
  readonly #options: StagerOptions;
  readonly #waiting: Submission[] = [];
  readonly #staged = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #stagings = 0;

  constructor(options: StagerOptions) {
    this.#options = options;
  }

  stage(job: Submission): void {
    this.#waiting.push(job);
    this.#startNext();
  }

  forget(jobIds: readonly string[]): void {
    const ended = jobIds.filter((id) => this.#staged.delete(id));
    if (ended.length > 0) this.#follow(this.#options.workspace.forgetStaged(ended));
  }

  breakOff(): void {
    this.#stopping.abort(BROKEN_OFF);
    this.#waiting.length = 0;
  }

  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #startNext(): void {
    while (this.#stagings < CONCURRENT_MAX && !this.#stopping.signal.aborted) {
      const job = this.#waiting.shift();
      if (!job) return;
      this.#stagings += 1;
      this.#follow(this.#stageOne(job));
    }
  }

  async #stageOne(job: Submission): Promise<void> {
    try {
      await this.#putFiles(job);
    } finally {
      this.#stagings -= 1;
      this.#startNext();
    }
  }

  async #putFiles(job: Submission): Promise<void> {
    const { workspace, assertLease, onStaged, onRefused } = this.#options;
    const { signal } = this.#stopping;
    const entries = job.job.stage ?? [];
    try {
      this.#staged.add(job.id);
      await workspace.stage({ jobId: job.id, entries, assertLease, signal });
    } catch (error) {
      if (signal.aborted) return;
      // A new driver retries after any other error.
      if (!(error instanceof Refusal)) throw error;
      return onRefused(job, error);
    }
    if (!signal.aborted) onStaged(job);
  }

  #follow(work: Promise<void>): void {
    const followed: Promise<void> = work
      .catch(this.#options.onFailure)
      .finally(() => this.#underWay.delete(followed));
    this.#underWay.add(followed);
  }
}
