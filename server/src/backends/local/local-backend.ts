import type { Backend } from "#backends/backend";
import process from "node:process";
import { cpuMsOfJobs } from "#backends/local/attempts/cpu-of-jobs";
import { endContainers, mayHaveLeftContainer } from "#backends/containers/started-container";
import { DamagedAttempt } from "#backends/process/attempt/damaged-attempt";
import { endIn } from "#backends/process/attempt/record";
import {
  attemptFolder,
  logBytes,
  readLogBytes,
  removeAttempt,
  type RemoveTree,
  scratchFolder,
} from "#backends/process/attempt/attempt-folder";
import { connectToJob } from "#backends/process/attempt/job-socket";
import { cancelAttempt } from "#backends/local/attempts/attempt-state";
import { exportAttempts } from "#backends/local/attempts/export-attempts";
import { featuresForAll, LOCAL, LOCAL_CAPABILITIES } from "#backends/local/capabilities";
import { cvmfsProblem } from "#backends/walls/cvmfs";
import type { BackendCapabilities } from "#workflow/capabilities";
import { NO_RUNTIME } from "#backends/containers/runtime";
import { maybeStandIn, requiredImageProblem, standInProblem } from "#backends/local/images/image-map";
import { endTree } from "#backends/local/attempts/end-tree";
import { createLeftoverSearch, markOfJob } from "#backends/process/table/marked-processes";
import type { Job } from "#workflow/job/job";
import { RunningJobs, type RunningJobsOptions } from "#backends/local/running-jobs";

export interface LocalBackendOptions extends RunningJobsOptions {
  /** Holds a folder per attempt. Must be on one file system, and outside every workspace. */
  readonly folder: string;
  /** Distinguishes jobs of this server from jobs of a running copy of the data folder, or of the original. */
  readonly hostId: string;
  readonly removeTree: RemoveTree;
  /** The folder of CVMFS on this machine. */
  readonly cvmfs?: string;
}

/**
 * Runs jobs as processes of this machine, as the server's user, behind the wall if configured. Each attempt
 * has a supervisor (slot.sh) that outlives the server: the supervisor claims the attempt, runs the command
 * and records its end.
 */
export function openLocalBackend(options: LocalBackendOptions): Backend {
  const jobs = new RunningJobs(options);
  const endLeftovers = createLeftoverEnder(options);
  const folderOf = (id: string) => attemptFolder(options.folder, id);
  return {
    name: LOCAL,
    isHostBound: true,
    capabilities: capabilitiesOf(options),
    hostToken: options.bootId,
    submit: (request) => jobs.submit(request),
    mayQueue: (job) => mayQueue(options, job),
    watch: (listener) => jobs.watch(listener),
    async cancel(request) {
      const end = await cancelAttempt(options, request);
      jobs.end(request.id, end);
      return end;
    },
    readLog: (id, from, maxBytes) => readLogBytes(folderOf(id), from, maxBytes),
    logSize: (id) => logBytes(folderOf(id)),
    ...(process.platform === "linux" && {
      cpuMsSoFar: (ids: readonly string[]) =>
        cpuMsOfJobs(
          options.hostId,
          ids.map((id) => ({ id, folder: folderOf(id) })),
        ),
    }),
    endLeftovers,
    connect: (id, socketName) => connectToJob(scratchFolder(folderOf(id)), socketName),
    async remove(ids) {
      await endLeftovers(ids);
      await Promise.all(ids.map((id) => removeAttempt(folderOf(id), options.removeTree)));
    },
    away: () => undefined,
    export: exportAttempts(options.folder, options.clock),
    expectJobs: () => jobs.expectJobs(),
    async close() {
      const isIdle = jobs.size === 0;
      jobs.close();
      await closeGroups(options, isIdle);
    },
    runningJobs: () => jobs.size,
  };
}

/** Idle slots exit within milliseconds of the stop. */
const GROUPS_INTERVAL_MS = 10;
const GROUPS_TRIES_MAX = 50;

/** Removes the control groups of this host. If no job is running, waits until the slots have left theirs. */
async function closeGroups(
  { groups, clock }: Pick<LocalBackendOptions, "groups" | "clock">,
  isIdle: boolean,
): Promise<void> {
  for (let tries = 0; groups && !groups.close() && isIdle && tries < GROUPS_TRIES_MAX; tries += 1)
    await new Promise<void>((resolve) => clock.after(GROUPS_INTERVAL_MS, resolve));
}

function capabilitiesOf(options: LocalBackendOptions): BackendCapabilities {
  const { containers, images, cvmfs } = options;
  const ofImages = containers
    ? {
        imageProblem: (image: string) => containerImageProblem(options, image),
        allowedImages: containers.allowedImages,
        imageDigest: async (image: string | null) =>
          standsIn(options, image) ? null : containers.presentDigest(image),
        imagePulls: () => containers.imagePulls(),
      }
    : images && { imageProblem: (image: string) => standInProblem(images, image) };
  return {
    ...LOCAL_CAPABILITIES,
    maxGpus: () => options.gpus?.gpus.offered.length ?? 0,
    provides: () => featuresForAll(options),
    ...ofImages,
    ...(images && {
      requiredImageProblem: async (image) => {
        const reason = containers ? await containers.maybeAbsence() : NO_RUNTIME;
        return reason === undefined ? undefined : requiredImageProblem(images, image, reason);
      },
    }),
    ...(cvmfs !== undefined && { cvmfsProblem: (repository) => cvmfsProblem(repository, cvmfs) }),
  };
}

function createLeftoverEnder(options: LocalBackendOptions): Backend["endLeftovers"] {
  const findLeftovers = createLeftoverSearch(() => options.clock.elapsedMs());
  return async (ids) => {
    const marks = new Set(ids.map((id) => markOfJob(options.hostId, id)));
    const { pids, isWhole } = await findLeftovers(marks);
    // A second search finds the processes that the first search missed, as in endTree. The second search is
    // cheap here, unlike a search of all processes.
    const left = isWhole ? pids : [...pids, ...(await findLeftovers(marks)).pids];
    if (left.length > 0) await endTree(options, ids);
    else {
      const containers = ids.filter((id) => mayHaveLeft(attemptFolder(options.folder, id)));
      await endContainers(options, containers);
    }
    for (const id of ids) options.groups?.remove(id);
  };
}

function mayQueue(options: LocalBackendOptions, job: Job): boolean {
  if ((job.resources?.gpus ?? 0) > 0) return true;
  return !standsIn(options, job.image) && options.containers?.mayQueue(job) === true;
}

/** Returns why a step cannot have its image here. */
function containerImageProblem(
  options: Pick<LocalBackendOptions, "containers" | "images">,
  image: string,
): string | undefined {
  return standsIn(options, image) ? undefined : options.containers?.problemOf(image);
}

/** Returns whether the image has a stand-in, which is used without a container. */
function standsIn({ images }: Pick<LocalBackendOptions, "images">, image: string | null): boolean {
  return images !== undefined && maybeStandIn(images, image) !== undefined;
}

/** The container of a job that ended by itself ended with the job. */
function mayHaveLeft(folder: string): boolean {
  try {
    const end = endIn(folder);
    return end === undefined || mayHaveLeftContainer(end);
  } catch (error) {
    if (error instanceof DamagedAttempt) return true;
    throw error;
  }
}
