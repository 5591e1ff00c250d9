import Type from "typebox";
import { nullable } from "#api/http/document/schemas";
import { endpoint } from "#api/http/endpoint";
import { longAnswer } from "#api/http/reply/long-answer";
import { namedRun, RUN_NAMED, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { planVerification } from "#operations/runs/verification/plan-verification";

const PlanRecord = Type.Object({
  ...RUN_NAMED,
  refusal: nullable(Type.String({ description: "Why the workflow cannot be verified." })),
  wall_ms: nullable(
    Type.Number({ description: "How long the workflow took. A repetition takes about as long." }),
  ),
  cpu_ms: Type.Number(),
  jobs: Type.Integer(),
  longest_step: nullable(
    Type.Object(
      { name: Type.String(), wall_ms: Type.Number() },
      { description: "A step is repeated at most eight times to find a cause.", title: "LongestStep" },
    ),
  ),
  notes: Type.Array(Type.String(), {
    description: "Sentences about what may make the repetition fail or differ.",
  }),
});

export const getVerificationPlanEndpoint = endpoint({
  operation: "get-verification-plan",
  summary: "Say what a verification of a workflow would cost, and what stands in its way",
  access: "user",
  schema: { params: WORKFLOW_PARAMS, response: { 200: PlanRecord } },
  async handle(context, { params, caller }, reply) {
    const plan = await longAnswer(context, reply, () =>
      planVerification(context, caller, params.workflow_id_or_name),
    );
    const { run, refusal, wallMs, cpuMs, jobs, longest, notes } = plan;
    return {
      ...namedRun(run),
      refusal,
      wall_ms: wallMs,
      cpu_ms: cpuMs,
      jobs,
      longest_step: longest && { name: longest.label, wall_ms: longest.wallMs },
      notes: [...notes],
    };
  },
});
