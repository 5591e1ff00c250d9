import { timeOrNull } from "#api/http/reply/workflow-records";
import type { LoggedJob } from "#operations/watch/logs/job-logs";
import { isClusterKey } from "#workflow/specification/dask";

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

/**
 * Returns the `logs` of a reply: JSON in a text, as REANA's clients parse it. The members of a Dask cluster are a
 * service of the run, unless the caller asks for steps by name.
 */
export function logsText(engineLog: string | null, jobs: readonly LoggedJob[]): string {
  const isWhole = engineLog !== null;
  const isService = ({ job }: LoggedJob) => isWhole && isClusterKey(job.key);
  const services = jobs.filter(isService);
  return JSON.stringify({
    workflow_logs: engineLog,
    job_logs: jobMap(jobs.filter((one) => !isService(one))),
    ...(isWhole && { service_logs: services.length > 0 ? { dask: services.map(serviceLog) } : {} }),
    engine_specific: null,
  });
}

function serviceLog({ job, log }: LoggedJob) {
  return { component: job.name, content: log };
}
