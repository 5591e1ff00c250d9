import { timeOrNull } from "#api/http/reply/workflow-records";
import type { LoggedJob } from "#operations/watch/logs/job-logs";

/**
 * Returns REANA's map of jobs. Each record has exactly these ten keys: REANA's client gives every key a
 * title, and fails on an unknown key.
 */
export function jobMap(jobs: readonly LoggedJob[]): Record<string, Record<string, string | null>> {
  return Object.fromEntries(
    jobs.map(({ job, log }) => [
      job.id,
      {
        workflow_uuid: job.runId,
        job_name: job.name,
        compute_backend: job.backend,
        backend_job_id: job.outsideId ?? job.id,
        docker_img: job.image ?? "",
        cmd: job.command,
        status: job.status,
        logs: log,
        started_at: timeOrNull(job.startedAtMs),
        finished_at: timeOrNull(job.finishedAtMs),
      },
    ]),
  );
}

/** Returns the `logs` of a reply: JSON in a text, as REANA's clients parse it. */
export function logsText(engineLog: string | null, jobs: readonly LoggedJob[]): string {
  const isWhole = engineLog !== null;
  return JSON.stringify({
    workflow_logs: engineLog,
    job_logs: jobMap(jobs),
    ...(isWhole && { service_logs: {} }),
    engine_specific: null,
  });
}
