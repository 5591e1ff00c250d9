import type { Backends } from "#backends/backends";
import { jobToEnd } from "#runner/jobs/job-to-end";
import type { GivenUpJob } from "#store/jobs/given-up-jobs";
import type { Workspaces } from "#workspace/workspaces";

/** Ends jobs of this host that no run uses any more. */
export interface GivenUpJobs {
  /**
   * Ends the leftovers of the jobs, and removes the jobs of deleted runs. Returns the jobs that were still
   * running.
   */
  end(jobs: readonly GivenUpJob[]): Promise<GivenUpJob[]>;
}

interface GivenUpContext {
  readonly backends: Backends;
  readonly workspaces: Pick<Workspaces, "of">;
}

/** Limit on concurrent cancellations: each searches the processes of the machine. */
const CONCURRENT_MAX = 8;

export function createGivenUpJobs({ backends, workspaces }: GivenUpContext): GivenUpJobs {
  async function endOne({
    id,
    backend,
    runId,
    workspaceId,
    hostToken,
    isDeleted,
    areFilesRemoved,
  }: GivenUpJob): Promise<boolean> {
    const workspace = workspaces.of(workspaceId);
    const workspaceFolder = workspace.folder;
    const place = backends.named(backend);
    // Cancelling also keeps a job from starting that was on the way to a supervisor.
    const end = await place.cancel({ id, job: jobToEnd(runId), workspaceFolder, hostToken });
    if (isDeleted) await place.remove([id]);
    if (areFilesRemoved) await workspace.remove();
    return end.reason === "cancelled";
  }
  return {
    async end(jobs) {
      const live: GivenUpJob[] = [];
      for (let at = 0; at < jobs.length; at += CONCURRENT_MAX) {
        const group = jobs.slice(at, at + CONCURRENT_MAX);
        const wereLive = await Promise.all(group.map(endOne));
        live.push(...group.filter((_, index) => wereLive[index]));
      }
      return live;
    },
  };
}
