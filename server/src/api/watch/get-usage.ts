import Type, { type Static } from "typebox";
import { endpoint } from "#api/http/endpoint";
import { nullable } from "#api/http/document/schemas";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { MEMORY_LIMIT_BYTES, PEAK_BYTES } from "#api/watch/job-record";
import { getUsage } from "#operations/watch/get-usage";
import { maybeMemoryAdvice, type StepMemory } from "#workflow/job/memory-advice";

const StepMemoryRecord = Type.Object(
  {
    step: Type.String({ description: "Name of the step, or its position, starting at 0." }),
    limit_bytes: nullable(
      Type.Integer({ description: `${MEMORY_LIMIT_BYTES} Null too if its jobs had different ones.` }),
    ),
    peak_bytes: nullable(Type.Integer({ description: `The largest of its jobs. ${PEAK_BYTES}` })),
    is_whole: Type.Boolean({
      description: "True if all jobs of the step have finished. An unfinished job might have used more.",
    }),
    advice: nullable(
      Type.Object(
        {
          limit: Type.String({
            description: "A better limit, as written in a specification: `512Mi`.",
          }),
          limit_bytes: Type.Integer(),
          message: Type.String(),
        },
        {
          description:
            "Set for a step with a request above three times the peak, or with a peak within 10 % of the limit.",
        },
      ),
    ),
  },
  { title: "StepMemory" },
);

export const getUsageEndpoint = endpoint({
  operation: "get-usage",
  summary:
    "Show what a workflow has used so far: time, processor time, jobs, and the size of a small workspace",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        queued_ms: nullable(
          Type.Integer({ description: "Time in the queue; null if the run was not started." }),
        ),
        wall_ms: nullable(
          Type.Integer({
            description: "Duration from start to end, or to now. Null before the start.",
          }),
        ),
        cpu_ms: Type.Integer({
          description: "Processor time of the jobs that have ended, as far as known.",
        }),
        jobs: Type.Object(
          {
            total: Type.Integer(),
            created: Type.Integer({ description: "Number of jobs waiting for capacity." }),
            running: Type.Integer(),
            finished: Type.Integer(),
            failed: Type.Integer(),
            stopped: Type.Integer(),
          },
          { description: "Number of submitted jobs by status." },
        ),
        memory: Type.Array(StepMemoryRecord, {
          description: "Memory by step, of the newest 10,000 jobs and at most 1000 steps.",
        }),
        workspace_bytes: nullable(
          Type.Integer({
            description:
              "Null for a workspace of more than 1000 files, whose size is counted only on request (`disk_usage`).",
          }),
        ),
      }),
    },
  },
  async handle(context, { params, caller }) {
    const usage = await getUsage(context, caller, params.workflow_id_or_name);
    return {
      queued_ms: usage.queuedMs ?? null,
      wall_ms: usage.wallMs ?? null,
      cpu_ms: usage.cpuMs,
      jobs: usage.jobs,
      memory: usage.memory.map(stepMemoryRecord),
      workspace_bytes: usage.workspaceBytes ?? null,
    };
  },
});

function stepMemoryRecord(memory: StepMemory): Static<typeof StepMemoryRecord> {
  const advice = maybeMemoryAdvice(memory);
  return {
    step: memory.step,
    limit_bytes: memory.limitBytes,
    peak_bytes: memory.peakBytes,
    is_whole: memory.isWhole,
    advice: advice ? { limit: advice.limit, limit_bytes: advice.limitBytes, message: advice.sentence } : null,
  };
}
