import { CGROUP_PLACES, findCgroups } from "#backends/process/cgroups/find-cgroups";
import { type JobGroups, openJobGroups } from "#backends/process/cgroups/job-groups";
import type { Config } from "#config/settings";
import type { LimitsReport } from "#workflow/reports";

interface LimitsLog {
  error(details: object, message: string): void;
}

/** Opens the control groups of a host's jobs. Returns undefined if the kernel does not limit them. */
export function maybeJobGroups(
  { controlGroups, maxJobProcesses }: Config,
  hostId: string,
  log: LimitsLog,
): JobGroups | undefined {
  if (controlGroups === "none") return undefined;
  const found = findCgroups(CGROUP_PLACES);
  if ("problem" in found) return undefined;
  try {
    return openJobGroups(found, hostId, { maxProcesses: maxJobProcesses });
  } catch (err) {
    log.error(
      { err },
      "The control groups of this machine cannot be used: the keeper measures jobs to enforce their limits.",
    );
    return undefined;
  }
}

/** Describes for `doctor` the job limits of a server with these settings. */
export function reportLimits({ controlGroups }: Config): LimitsReport {
  if (controlGroups === "none") return { byKernel: [], problem: "--control-groups none" };
  const found = findCgroups(CGROUP_PLACES);
  if ("problem" in found) return { byKernel: [], problem: found.problem };
  const { version, parents } = found;
  return { version, byKernel: Object.keys(parents) };
}
