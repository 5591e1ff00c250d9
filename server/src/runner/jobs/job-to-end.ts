import type { Job } from "#workflow/job/job";

/** Returns as much of a job as a backend needs to end it: backends know their jobs by id. */
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
