import process from "node:process";
import { maybeContainerPid } from "#backends/containers/started-container";
import { cpuMsSoFar } from "#backends/process/table/cpu-so-far";
import { markOfJob } from "#backends/process/table/marked-processes";

/** A running job, with the folder of its attempt. */
interface RunningJob {
  readonly id: string;
  readonly folder: string;
}

/** Returns the processor time of running jobs of a host until now. 0 on a system without /proc. */
export async function cpuMsOfJobs(hostId: string, jobs: readonly RunningJob[]): Promise<number> {
  if (process.platform !== "linux") return 0;
  return cpuMsSoFar({
    marks: new Set(jobs.map(({ id }) => markOfJob(hostId, id))),
    roots: jobs.flatMap(({ folder }) => maybeContainerPid(folder) ?? []),
  });
}
