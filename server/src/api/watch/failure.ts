import Type, { type Static } from "typebox";
import { endpoint } from "#api/http/endpoint";
import { nullable } from "#api/http/document/schemas";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { DISPLAY_COMMAND, JOB_LABEL, JobReasonWord } from "#api/watch/job-record";
import { getFailure, type RunFailure } from "#operations/watch/failure";

export const FailureRecord = Type.Object(
  {
    sentence: Type.String({
      description:
        'Which step failed and why: `Step "fit" failed: its command exited with code 3.` If independent steps went on ' +
        "(`on_failure: finish`), a list of what failed, with at most ten sentences.",
    }),
    job: nullable(
      Type.Object(
        {
          id: Type.String({ format: "uuid" }),
          key: Type.String(),
          attempt: Type.Integer(),
          step: Type.String(),
          label: Type.String({ description: JOB_LABEL }),
          command: Type.String(),
          display_command: Type.String({ description: DISPLAY_COMMAND }),
          reason: JobReasonWord,
          exit_code: nullable(Type.Integer()),
        },
        { title: "FailedJob" },
      ),
    ),
    last_lines: Type.Array(Type.String(), {
      description:
        "The last lines that the job printed, and the ends of the files that a Snakemake rule names under `log:`: at most 20.",
    }),
  },
  {
    title: "Failure",
    description: "Why the run failed; `job` is the first job that failed, or null if none did.",
  },
);

export function failureRecord({ sentence, job, lastLines }: RunFailure): Static<typeof FailureRecord> {
  return {
    sentence,
    job: job
      ? {
          id: job.id,
          key: job.key,
          attempt: job.attempt,
          step: job.name,
          label: job.label,
          command: job.command,
          display_command: job.shownCommand,
          reason: job.reason,
          exit_code: job.exitCode,
        }
      : null,
    last_lines: [...lastLines],
  };
}

export const getFailureEndpoint = endpoint({
  operation: "get-failure",
  summary:
    "Show why a workflow failed: the step, the reason, and the last lines of its log; null if it has not failed",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: { 200: Type.Object({ failure: nullable(FailureRecord) }) },
  },
  async handle(context, { params, caller }) {
    const failure = await getFailure(context, caller, params.workflow_id_or_name);
    return { failure: failure ? failureRecord(failure) : null };
  },
});
