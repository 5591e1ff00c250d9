import type { Connection } from "#store/database";
import { nextRunEventSeq } from "#store/run-events";
import { type JobState, jobStates } from "#store/run-news";
import type { Workflow } from "#store/workflows";
import { isLive } from "#workflow/run-status";

/** Of so many runs, each of at most so many jobs. */
const KEPT_RUNS = 16;
const KEPT_JOBS = 10_000;

interface Kept {
  readonly moment: string;
  readonly states: readonly JobState[];
}

/**
 * How the jobs of runs stand, kept as long as nothing has changed: a run is asked for its status far more often than it
 * changes, and may have thousands of jobs.
 */
export class JobStandings {
  readonly #db: Connection;
  readonly #kept = new Map<string, Kept>();

  constructor(db: Connection) {
    this.#db = db;
  }

  /** In the order of submission; `workflow` as it was read just now. */
  async of(workflow: Workflow): Promise<readonly JobState[]> {
    const moment = await this.#momentOf(workflow);
    const kept = this.#kept.get(workflow.id);
    if (kept?.moment === moment) return kept.states;
    const states = await jobStates(this.#db, workflow.id);
    this.#kept.delete(workflow.id);
    if (states.length <= KEPT_JOBS) this.#kept.set(workflow.id, { moment, states });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_RUNS) this.#kept.delete(oldest!);
    return states;
  }

  /**
   * Jobs come and end with an event; between two events they only begin to run, and are counted as they do. A run that is
   * over has jobs that are over, and stays so.
   */
  async #momentOf({ id, status, jobsRunning }: Workflow): Promise<string> {
    if (status !== "created" && !isLive(status)) return status;
    return `${await nextRunEventSeq(this.#db, id)} ${jobsRunning}`;
  }
}
