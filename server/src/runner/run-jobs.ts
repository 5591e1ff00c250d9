import type { Backend, JobRequest } from "#backends/backend";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { messageOf } from "#plumbing/errors";
import { jobIdOf } from "#runner/job-id";
import type { PlaceClaim, Places } from "#runner/places";
import type { UserSecrets } from "#runner/user-secrets";
import type { EndedJob } from "#runner/record";
import type { JobRecord } from "#store/jobs";
import type { Workflow } from "#store/workflows";
import { attemptOf, type Job, type JobEnd, resourcesOf } from "#workflow/job";
import type { JobSecrets } from "#workflow/secret";
import type { Workspaces } from "#workspace/workspaces";

/** The jobs of one run, between the run, the places of this host, and the backend. */
export interface RunJobs {
  /** Takes a place for each job that can have one immediately. Returns their keys. */
  takePlaces(jobs: readonly Job[]): ReadonlySet<string>;
  /** Queues jobs for places. Each is admitted when it has been given its place. */
  waitForPlaces(jobs: readonly Job[]): void;
  /** Hands out recorded jobs. For a job that the backend knows already, this asks for its state. */
  handOut(jobs: readonly Job[], bootIdOf: (key: string) => string): Promise<void>;
  /** Cancels jobs and returns how each ended, after its last process is gone. */
  cancel(jobs: readonly JobRecord[]): Promise<EndedJob[]>;
  /** Ignores further ends, hands nothing more out, and gives all places back. Calls in progress take none either. */
  letGo(): void;
}

export interface JobsContext {
  readonly backend: Backend;
  readonly places: Places;
  readonly workspaces: Pick<Workspaces, "folder">;
  readonly clock: Clock;
  /** Absent: users have none. */
  readonly secrets?: UserSecrets;
}

interface JobsOptions {
  readonly onEnd: (job: Job, end: JobEnd) => void;
  /** Called when the job has been given its place. The job may be handed out once that is recorded. */
  readonly onAdmitted: (job: Job) => void;
  /** Throws if another server drives the run, which then owns its jobs. */
  readonly mustHoldLease: () => Promise<void>;
}

/** Limit on concurrent submissions: a cluster responds slowly, and hundreds of jobs may be handed out in one moment. */
const AT_ONCE = 16;

export function runJobs(
  context: JobsContext,
  workflow: Workflow,
  { onEnd, onAdmitted, mustHoldLease }: JobsOptions,
): RunJobs {
  const { backend, places, clock } = context;
  const handedOut = new Map<string, Job>();
  /** Ids of jobs that have a place or wait for one. */
  const placed = new Set<string>();
  /** Cancels the timers of delayed jobs. */
  const delays = new Set<() => void>();
  let isLetGo = false;
  const tell = (id: string, end: JobEnd) => {
    const job = handedOut.get(id);
    if (!handedOut.delete(id)) return;
    givePlace(id);
    onEnd(job!, end);
  };
  const givePlace = (id: string) => {
    if (placed.delete(id)) places.give(id);
  };
  const claimOf = (job: Job): PlaceClaim => {
    const jobId = jobIdOf(workflow.id, job.key, attemptOf(job));
    return { jobId, ownerId: workflow.ownerId, resources: resourcesOf(job) };
  };
  const take = (claim: PlaceClaim) => {
    placed.add(claim.jobId);
    places.take(claim);
  };
  const maybeTake = (claim: PlaceClaim) => {
    if (!places.maybeTake(claim)) return false;
    placed.add(claim.jobId);
    return true;
  };
  const unwatch = backend.watch(tell);

  /** Waits for a place, after the job's delay. If the server stopped during the delay, the whole delay starts again. */
  function waitForPlace(job: Job): void {
    const wait = () => {
      const claim = claimOf(job);
      if (isLetGo || placed.has(claim.jobId)) return;
      placed.add(claim.jobId);
      places.wait(claim, () => onAdmitted(job));
    };
    if (job.delayMs === undefined) wait();
    else delays.add(clock.after(job.delayMs, wait));
  }

  /** Ends what the previous attempt left in the background. The end of that attempt is recorded already. */
  async function leaveNothingBefore(job: Job): Promise<void> {
    await backend.endLeftovers([jobIdOf(workflow.id, job.key, attemptOf(job) - 1)]);
    // Ending it may have taken a while.
    if (!isLetGo) await mustHoldLease();
  }

  async function handOutOne(job: Job, bootId: string, secrets: JobSecrets | undefined): Promise<void> {
    const request = { ...requestOf(context, workflow, job, bootId), ...(secrets && { secrets }) };
    if (attemptOf(job) > 1) await leaveNothingBefore(job);
    if (isLetGo) return;
    handedOut.set(request.id, job);
    try {
      const state = await backend.submit(request);
      crashPoint("job-submitted");
      if (state.status === "ended") tell(request.id, state.end);
    } catch (error) {
      handedOut.delete(request.id);
      givePlace(request.id);
      if (isLetGo) return;
      await mustHoldLease();
      // The job must not start unnoticed: cancelling claims it before the run continues.
      const end = await backend.cancel(request);
      onEnd(job, { ...end, detail: messageOf(error) });
    }
  }

  return {
    takePlaces(jobs) {
      if (isLetGo) return new Set();
      const taken = jobs.filter((job) => job.delayMs === undefined && maybeTake(claimOf(job)));
      return new Set(taken.map((job) => job.key));
    },
    waitForPlaces(jobs) {
      if (isLetGo) return;
      for (const job of jobs) waitForPlace(job);
    },
    async handOut(jobs, bootIdOf) {
      if (isLetGo) return;
      for (const job of jobs) take(claimOf(job));
      const secrets = jobs.length === 0 ? undefined : await context.secrets?.maybeForJobs(workflow.ownerId);
      for (let at = 0; at < jobs.length && !isLetGo; at += AT_ONCE) {
        await Promise.all(
          jobs.slice(at, at + AT_ONCE).map((job) => handOutOne(job, bootIdOf(job.key), secrets)),
        );
      }
    },
    async cancel(jobs) {
      return Promise.all(
        jobs.map(async (job) => {
          const request = requestOf(context, workflow, jobOf(job), job.bootId);
          handedOut.delete(request.id);
          const end = job.status === "created" ? neverStarted(context.clock) : await backend.cancel(request);
          givePlace(request.id);
          return { key: job.key, ...(job.attempt > 1 && { attempt: job.attempt }), end };
        }),
      );
    },
    letGo() {
      isLetGo = true;
      unwatch();
      for (const callOff of delays) callOff();
      for (const id of placed) places.give(id);
      placed.clear();
    },
  };
}

/** The end of a job that was still waiting for its place: no backend knows it. */
function neverStarted(clock: Clock): JobEnd {
  return { reason: "not-started", exitCode: null, startedAtMs: null, endedAtMs: clock.now() };
}

function requestOf(context: JobsContext, workflow: Workflow, job: Job, bootId: string): JobRequest {
  const workspaceFolder = context.workspaces.folder(workflow.workspaceId);
  const environment = {
    ...job.environment,
    REANA_WORKSPACE: workspaceFolder,
    REANA_WORKFLOW_UUID: workflow.id,
  };
  const id = jobIdOf(workflow.id, job.key, attemptOf(job));
  return { id, job: { ...job, environment }, workspaceFolder, bootId };
}

/** Returns the part of a job that a backend needs to end it. */
function jobOf(row: JobRecord): Job {
  return {
    key: row.key,
    attempt: row.attempt,
    name: row.name,
    script: row.command,
    displayCommand: row.command,
    image: row.image,
    environment: {},
    timeLimitMs: null,
  };
}
