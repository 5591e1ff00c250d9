import Type, { type Static } from "typebox";
import { endpoint } from "#api/http/endpoint";
import { nullable } from "#api/http/document/schemas";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { MEMORY_LIMIT_BYTES, PEAK_BYTES } from "#api/watch/job-record";
import { getUsage } from "#operations/watch/get-usage";
import { maybeMemoryAdvice, type StepMemory } from "#workflow/job/memory-advice";

const StepMemoryRecord = Type.Object(
  {
    step: Type.String({ description: "Its name, or its position from 0 on if it has none." }),
    limit_bytes: nullable(
      Type.Integer({ description: `${MEMORY_LIMIT_BYTES} Null too if its jobs had different ones.` }),
    ),
    peak_bytes: nullable(Type.Integer({ description: `The largest of its jobs. ${PEAK_BYTES}` })),
    is_whole: Type.Boolean({
      description: "Whether each of its jobs has finished. One that has not might have used more.",
    }),
    advice: nullable(
      Type.Object(
        {
          limit: Type.String({
            description: "A limit that fits better, as a specification writes it: `512Mi`.",
          }),
          limit_bytes: Type.Integer(),
          message: Type.String(),
        },
        {
          description:
            "For a step that asks for more than three times its peak, or that came within 10 % of its limit.",
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
            description: "From its start to its end, or to now; null if it has not started.",
          }),
        ),
        cpu_ms: Type.Integer({
          description: "Processor time of the jobs that have ended, as far as known.",
        }),
        jobs: Type.Object(
          {
            total: Type.Integer(),
            created: Type.Integer({ description: "Jobs that wait for capacity." }),
            running: Type.Integer(),
            finished: Type.Integer(),
            failed: Type.Integer(),
            stopped: Type.Integer(),
          },
          { description: "The jobs that have been submitted so far, by status." },
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
