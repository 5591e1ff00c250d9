import type { Job } from "#workflow/job/job";

/** Returns the parts of a job that a backend needs to end the job: backends know jobs by id. */
export function jobToEnd(runId: string, key = ""): Job {
  return {
    key,
    name: "",
    node: "",
    command: { script: "" },
    displayCommand: "",
    image: null,
    environment: { REANA_WORKFLOW_UUID: runId },
  };
}
