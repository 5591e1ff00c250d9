import Type, { type Static } from "typebox";
import { nullable, oneOf } from "#api/http/document/schemas";
import { change, endpoint } from "#api/http/endpoint";
import { longAnswer, longChange } from "#api/http/reply/long-answer";
import { namedRun, RUN_NAMED, RunStatusWord, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { causeSentence } from "#operations/runs/verification/cause/cause-sentence";
import type { CauseSearch } from "#operations/runs/verification/cause/find-cause";
import { isDifferent } from "#operations/runs/verification/cause/plan-repetitions";
import {
  type FirstDifference,
  getVerification,
  REPETITIONS_MAX,
  type RunVerification,
  VERIFICATION_STATES,
} from "#operations/runs/verification/get-verification";
import { type JudgedOutput, OUTPUT_VERDICTS } from "#operations/runs/verification/judge-outputs";
import { startExperiment } from "#operations/runs/verification/start-experiment";
import { startVerification } from "#operations/runs/verification/start-verification";
import { RULES } from "#plumbing/equivalence/equivalence";
import { CONDITIONS } from "#workflow/run/conditions";

const RepetitionRecord = Type.Object({ ...RUN_NAMED, status: RunStatusWord }, { title: "Repetition" });

const StartedRecord = Type.Object(
  { ...RUN_NAMED, repetition: RepetitionRecord },
  { title: "StartedVerification" },
);

const TOLERANCE_GIVEN = Type.Number({
  minimum: 0,
  maximum: 1,
  description:
    "Numbers count as equal if their relative difference is at most this. 0 compares all numbers exactly.",
});

const BUDGET_S = Type.Integer({
  minimum: 1,
  description:
    "Time in seconds for the repetition and the search for a cause together, as far as the times of the original tell.",
});

export const verifyWorkflowEndpoint = change({
  operation: "verify-workflow",
  summary: "Run a workflow or one of its steps again from its recorded inputs, to compare the outputs",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    body: Type.Object(
      {
        step: Type.Optional(
          Type.String({
            minLength: 1,
            description:
              "Name of the only step to repeat, from the recorded inputs and the files of the steps before it, or the label of " +
              "one of its jobs.",
          }),
        ),
        tolerance: Type.Optional(TOLERANCE_GIVEN),
        budget_s: Type.Optional(BUDGET_S),
      },
      { title: "VerificationValues" },
    ),
    response: { 201: StartedRecord },
  },
  async handle(context, { params, caller, body = {} }, reply) {
    const { step, tolerance, budget_s: budgetS } = body;
    const asked = { address: params.workflow_id_or_name, step, tolerance, maxMs: maybeMs(budgetS) };
    return longChange(context, reply, (signal) => startVerification(context, caller, asked, signal));
  },
  toWire: ({ verified, repetition }) => ({
    ...namedRun(verified),
    repetition: { ...namedRun(repetition), status: repetition.status },
  }),
});

const OutputRecord = Type.Object(
  {
    name: Type.String(),
    verdict: oneOf(OUTPUT_VERDICTS),
    rule: nullable(oneOf(RULES, { description: "The rule by which the files are equivalent." })),
    difference: nullable(
      Type.Number({ description: "The largest relative difference of two numbers of equivalent files." }),
    ),
    note: nullable(
      Type.String({ description: "A sentence about a file that was not compared as others are." }),
    ),
    sha256: nullable(Type.String()),
    repeated_sha256: nullable(Type.String()),
  },
  { title: "VerifiedOutput" },
);

const FirstDifferenceRecord = Type.Object(
  {
    steps: Type.Array(Type.String(), {
      description: "Labels of the jobs. Several if each of them may have made the difference.",
    }),
    files: Type.Array(Type.String(), { description: "At most five differing files of the step." }),
    has_other_image: Type.Boolean({
      description: "True if the step ran in an image with another digest than before.",
    }),
  },
  { title: "FirstDifference" },
);

const CONDITION = oneOf(CONDITIONS, { title: "StepCondition" });

const CauseRecord = Type.Object(
  {
    step: Type.String({ description: "Label of the step that is repeated." }),
    state: oneOf(["repeating", "open", "found", "unknown"], {
      description: "`repeating`: repetitions are under way. `open`: more repetitions can be asked for.",
    }),
    condition: nullable(CONDITION),
    sentence: Type.String({ description: "The result, with the numbers of the repetitions that show it." }),
    repeating: nullable(RepetitionRecord),
    repetitions: Type.Array(
      Type.Object({
        varied: Type.Array(CONDITION, { description: "Conditions with their second value." }),
        is_different: Type.Boolean({ description: "True if an output differs from the first repetition." }),
        has_failed: Type.Boolean(),
      }),
    ),
    excluded: Type.Array(CONDITION, { description: "Conditions whose change did not change any output." }),
    not_varied: Type.Array(CONDITION, { description: "Conditions that cannot be set where the step runs." }),
  },
  { title: "DifferenceCause" },
);

const REPETITIONS = Type.Integer({
  minimum: 0,
  maximum: REPETITIONS_MAX,
  description: `The maximum number of repetitions of the step. Default: ${REPETITIONS_MAX}.`,
});

export const repeatStepEndpoint = change({
  operation: "repeat-step",
  summary: "Repeat the first step that differs in a verification under other conditions, to find the cause",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    body: Type.Object(
      {
        repetitions: Type.Optional(REPETITIONS),
        tolerance: Type.Optional(TOLERANCE_GIVEN),
        budget_s: Type.Optional(BUDGET_S),
      },
      { title: "RepetitionValues" },
    ),
    response: { 201: RepetitionRecord },
  },
  async handle(context, { params, caller, body = {} }, reply) {
    const { repetitions: maxRepetitions, tolerance, budget_s: budgetS } = body;
    const asked = { address: params.workflow_id_or_name, maxRepetitions, tolerance, maxMs: maybeMs(budgetS) };
    return longChange(context, reply, (signal) => startExperiment(context, caller, asked, signal));
  },
  toWire: (run) => ({ ...namedRun(run), status: run.status }),
});

const VerificationRecord = Type.Object({
  ...RUN_NAMED,
  repetition: RepetitionRecord,
  step: nullable(
    Type.String({ description: "Name of the only step that was repeated. Null for the whole workflow." }),
  ),
  state: oneOf(VERIFICATION_STATES, {
    description:
      "The heaviest verdict about an output; `not-repeated` if the repetition failed or was stopped.",
  }),
  tolerance: Type.Number({
    description: "Numbers count as equal if their relative difference is at most this.",
  }),
  outputs: Type.Array(OutputRecord, { description: "The heaviest verdicts come first." }),
  is_cut: Type.Boolean({ description: "True if some outputs were not recorded and so not compared." }),
  first_difference: nullable(FirstDifferenceRecord),
  cause: nullable(CauseRecord),
});

export const getVerificationEndpoint = endpoint({
  operation: "get-verification",
  summary: "Compare the outputs of a workflow with the outputs of its newest repetition",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      repetitions: Type.Optional(REPETITIONS),
      tolerance: Type.Optional(TOLERANCE_GIVEN),
      budget_s: Type.Optional(BUDGET_S),
    }),
    response: { 200: VerificationRecord },
  },
  async handle(context, { params, query, caller }, reply) {
    const { tolerance, repetitions: maxRepetitions, budget_s: budgetS } = query;
    const asked = { address: params.workflow_id_or_name, tolerance, maxRepetitions, maxMs: maybeMs(budgetS) };
    const found = await longAnswer(context, reply, (signal) =>
      getVerification(context, caller, asked, signal),
    );
    return verificationRecord(found);
  },
});

function verificationRecord(found: RunVerification): Static<typeof VerificationRecord> {
  const { verified, repetition, step, state, tolerance, outputs, isCut, firstDifference, cause } = found;
  return {
    ...namedRun(verified),
    repetition: { ...namedRun(repetition), status: repetition.status },
    step,
    state,
    tolerance,
    outputs: outputs.map(outputRecord),
    is_cut: isCut,
    first_difference: firstDifference ? differenceRecord(firstDifference) : null,
    cause: cause ? causeRecord(cause) : null,
  };
}

function outputRecord({ path, repeatedSha256, ...output }: JudgedOutput): Static<typeof OutputRecord> {
  return { name: path, ...output, repeated_sha256: repeatedSha256 };
}

function differenceRecord({ jobs, files, hasOtherImage }: FirstDifference) {
  return { steps: jobs.map(({ label }) => label), files: [...files], has_other_image: hasOtherImage };
}

function causeRecord(cause: CauseSearch): Static<typeof CauseRecord> {
  const { job, repetitions, next, excluded, notVaried, live } = cause;
  const state = live ? "repeating" : next.kind === "repeat" ? "open" : next.kind;
  return {
    step: job.label,
    state,
    condition: next.kind === "found" ? next.cause : null,
    sentence: causeSentence(cause),
    repeating: live ? { ...namedRun(live), status: live.status } : null,
    repetitions: repetitions.map((one) => {
      return { varied: [...one.varied], is_different: isDifferent(one), has_failed: one.hasFailed };
    }),
    excluded: [...excluded],
    not_varied: [...notVaried],
  };
}

function maybeMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}
