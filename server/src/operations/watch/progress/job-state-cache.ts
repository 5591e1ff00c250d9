import { type JobProgress, MAX_JOB_IDS, readProgress } from "#operations/watch/progress/progress";
import type { Connection } from "#store/database/database";
import { nextRunEventSeq } from "#store/events/run-events";
import { type JobState, newestJobStates } from "#store/events/run-news";
import type { Run } from "#store/runs/runs";
import { isOver } from "#workflow/run/run-status";

/** Cached runs. Each has a bounded number of jobs. */
const KEPT_RUNS = 16;

/** The jobs of a run, as far as a status or a picture shows them. */
export interface JobStates {
  readonly progress: JobProgress;
  /** The newest jobs, in order of submission. */
  readonly newest: readonly JobState[];
}

interface Kept {
  readonly moment: string;
  readonly states: JobStates;
}

/**
 * States of the jobs of runs, cached as long as nothing has changed: clients ask for the status of a run far more often
 * than it changes, and a run may have thousands of jobs.
 */
export class JobStateCache {
  readonly #db: Connection;
  readonly #kept = new Map<string, Kept>();

  constructor(db: Connection) {
    this.#db = db;
  }

  /** `run` must have been read just now. */
  async of(run: Run): Promise<JobStates> {
    const moment = await this.#momentOf(run);
    const kept = this.#kept.get(run.id);
    if (kept?.moment === moment) return kept.states;
    const newest = await newestJobStates(this.#db, run.id, MAX_JOB_IDS);
    const states = { newest, progress: await readProgress(this.#db, run, newest) };
    this.#kept.delete(run.id);
    this.#kept.set(run.id, { moment, states });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_RUNS) this.#kept.delete(oldest!);
    return states;
  }

  /**
   * Returns a key that changes whenever a job does. Jobs come and end with an event. Between two events they can only
   * start running, which changes the count of running jobs. Once a run has ended, its jobs have ended for good.
   */
  async #momentOf({ id, status, jobsRunning }: Run): Promise<string> {
    if (isOver(status)) return status;
    return `${await nextRunEventSeq(this.#db, id)} ${jobsRunning}`;
  }
}
