import Type from "typebox";
import { nullable } from "#api/http/document/schemas";
import { endpoint } from "#api/http/endpoint";
import { longAnswer } from "#api/http/reply/long-answer";
import { namedRun, RUN_NAMED, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { planVerification } from "#operations/runs/verification/plan-verification";

const PlanRecord = Type.Object({
  ...RUN_NAMED,
  step: nullable(Type.String({ description: "The only step that would be repeated." })),
  refusal: nullable(Type.String({ description: "Why the workflow or the step cannot be verified." })),
  wall_ms: nullable(
    Type.Number({ description: "How long the workflow or the step took. A repetition takes about as long." }),
  ),
  cpu_ms: Type.Number(),
  jobs: Type.Integer(),
  longest_step: nullable(
    Type.Object(
      { name: Type.String(), wall_ms: Type.Number() },
      { description: "A step is repeated at most eight times to find a cause.", title: "LongestStep" },
    ),
  ),
  steps: Type.Array(Type.Object({ name: Type.String(), wall_ms: Type.Number() }, { title: "StepTime" }), {
    description: "The steps that took longest. A step can be verified alone.",
  }),
  notes: Type.Array(Type.String(), {
    description: "Sentences about what may make the repetition fail or differ.",
  }),
});

export const getVerificationPlanEndpoint = endpoint({
  operation: "get-verification-plan",
  summary: "Say what a verification of a workflow would cost, and what stands in its way",
  access: "user",
  refuses: [409],
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      step: Type.Optional(Type.String({ minLength: 1, description: "Plan for this step alone." })),
    }),
    response: { 200: PlanRecord },
  },
  async handle(context, { params, query, caller }, reply) {
    const asked = { address: params.workflow_id_or_name, step: query.step };
    const plan = await longAnswer(context, reply, (signal) =>
      planVerification(context, caller, asked, signal),
    );
    const { run, step, refusal, wallMs, cpuMs, jobs, longest, steps, notes } = plan;
    return {
      ...namedRun(run),
      step,
      refusal,
      wall_ms: wallMs,
      cpu_ms: cpuMs,
      jobs,
      longest_step: longest && { name: longest.label, wall_ms: longest.wallMs },
      steps: steps.map((one) => ({ name: one.name, wall_ms: one.wallMs })),
      notes: [...notes],
    };
  },
});
