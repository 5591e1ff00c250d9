import type { Backend, JobRequest } from "#backends/backend";
import { messageOf } from "#plumbing/errors";
import { jobIdOf } from "#runner/job-id";
import { ATTEMPT, type EndedJob } from "#runner/record";
import type { JobRecord } from "#store/jobs";
import type { Workflow } from "#store/workflows";
import type { Job, JobEnd } from "#workflow/job";
import type { Workspaces } from "#workspace/workspaces";

/** The jobs of one run, between the run and the backend. */
export interface RunJobs {
  /** Hands out jobs that are recorded; for one that is known already that asks how it stands. */
  handOut(jobs: readonly Job[], bootIdOf: (key: string) => string): Promise<void>;
  /** Answers how each ended, once nothing of it is left. */
  cancel(jobs: readonly JobRecord[]): Promise<EndedJob[]>;
  /** Hears of no further end. */
  letGo(): void;
}

export interface JobsContext {
  readonly backend: Backend;
  readonly workspaces: Pick<Workspaces, "folder">;
}

/** A cluster answers slowly, and hundreds of jobs may be handed out in one moment. */
const AT_ONCE = 16;

export function runJobs(
  context: JobsContext,
  workflow: Workflow,
  onEnd: (job: Job, end: JobEnd) => void,
): RunJobs {
  const { backend } = context;
  const handedOut = new Map<string, Job>();
  const tell = (id: string, end: JobEnd) => {
    const job = handedOut.get(id);
    if (handedOut.delete(id)) onEnd(job!, end);
  };
  const unwatch = backend.watch(tell);

  async function handOutOne(job: Job, bootId: string): Promise<void> {
    const request = requestOf(context, workflow, job, bootId);
    handedOut.set(request.id, job);
    try {
      const state = await backend.submit(request);
      if (state.status === "ended") tell(request.id, state.end);
    } catch (error) {
      handedOut.delete(request.id);
      // It must not start behind our back: its claim is taken before the run goes on.
      const end = await backend.cancel(request);
      onEnd(job, { ...end, detail: messageOf(error) });
    }
  }

  return {
    async handOut(jobs, bootIdOf) {
      for (let at = 0; at < jobs.length; at += AT_ONCE) {
        await Promise.all(jobs.slice(at, at + AT_ONCE).map((job) => handOutOne(job, bootIdOf(job.key))));
      }
    },
    async cancel(jobs) {
      return Promise.all(
        jobs.map(async (job) => {
          const request = requestOf(context, workflow, jobOf(job), job.bootId);
          handedOut.delete(request.id);
          return { key: job.key, end: await backend.cancel(request) };
        }),
      );
    },
    letGo: unwatch,
  };
}

function requestOf(context: JobsContext, workflow: Workflow, job: Job, bootId: string): JobRequest {
  const workspaceFolder = context.workspaces.folder(workflow.workspaceId);
  const environment = {
    ...job.environment,
    REANA_WORKSPACE: workspaceFolder,
    REANA_WORKFLOW_UUID: workflow.id,
  };
  const id = jobIdOf(workflow.id, job.key, ATTEMPT);
  return { id, job: { ...job, environment }, workspaceFolder, bootId };
}

/** As much of a job as a backend needs to end it. */
function jobOf(row: JobRecord): Job {
  return {
    key: row.key,
    name: row.name,
    script: row.command,
    displayCommand: row.command,
    image: row.image,
    environment: {},
    timeLimitMs: null,
  };
}
