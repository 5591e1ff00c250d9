import { AbsentBackendError, type Backends } from "#backends/backends";
import { gpuShortage, requiredGpus } from "#workflow/job/gpus";
import { maybePolicyProblem } from "#runner/jobs/allowed-images";
import type { IssuedJob } from "#runner/turn/job-id";

interface RefusedJobsContext {
  readonly backends: Backends;
  /**
   * Returns the patterns of the images that policies allow a user, or null if no policy limits images. Absent
   * in a server without policies.
   */
  readonly allowedImagesOf?: (userId: string) => Promise<readonly string[] | null>;
}

/**
 * Returns a function that says why one of these jobs of a user cannot be started, or undefined if all can.
 * The policies are read once, for the first job that needs a policy.
 */
export function createJobRefusals(context: RefusedJobsContext, ownerId: string) {
  const { backends, allowedImagesOf } = context;
  let allowed: Promise<readonly string[] | null> | undefined;

  /** Checks jobs with a backend that uses images. */
  async function maybeImageRefusal(jobs: readonly IssuedJob[]): Promise<string | undefined> {
    const usesImage = ({ job }: IssuedJob) =>
      job.image !== null && backends.forJob(job).capabilities.imageProblem !== undefined;
    const concerned = jobs.filter(usesImage);
    if (!allowedImagesOf || concerned.length === 0) return undefined;
    const patterns = await (allowed ??= allowedImagesOf(ownerId));
    return concerned.map(({ job }) => maybePolicyProblem(job.image, patterns)).find(Boolean);
  }

  return async (jobs: readonly IssuedJob[]): Promise<string | undefined> =>
    maybeBackendRefusal(backends, jobs) ?? maybeGpuRefusal(backends, jobs) ?? (await maybeImageRefusal(jobs));
}

/** Returns a sentence if a job asks for a backend that this server lacks: the run cannot continue here. */
function maybeBackendRefusal(backends: Backends, jobs: readonly IssuedJob[]): string | undefined {
  for (const { job } of jobs) {
    try {
      backends.forJob(job);
    } catch (error) {
      if (error instanceof AbsentBackendError)
        return `${error.message} Step ${JSON.stringify(job.name || job.key)} asks for it.`;
      throw error;
    }
  }
  return undefined;
}

/** Returns a sentence if a job asks for more GPUs than its backend has: it would wait for ever. */
function maybeGpuRefusal(backends: Backends, jobs: readonly IssuedJob[]): string | undefined {
  for (const { job } of jobs) {
    const gpus = requiredGpus(job);
    if (gpus === 0) continue;
    const who = `Step ${JSON.stringify(job.name || job.key)}`;
    const shortage = gpuShortage(who, { gpus }, backends.forJob(job).capabilities);
    if (shortage !== undefined) return shortage;
  }
  return undefined;
}
