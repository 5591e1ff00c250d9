import Type, { type Static } from "typebox";
import { nullable, oneOf } from "#api/http/document/schemas";
import { DecisionFactRecord, factRecord } from "#api/http/reply/decision-records";
import { DISPLAY_COMMAND, JOB_LABEL } from "#api/watch/job-record";
import { fullNameOf } from "#operations/full-name";
import type { Judgement, PlannedRestart } from "#operations/runs/start/plan-restart";

/** Records of a planned restart. */

const DifferenceRecord = Type.Object(
  {
    field: Type.String({
      description:
        "`command`, `parameters.n`, a key of the step (`environment`), `inputs data/in.csv`, `files results/fit.json`; " +
        "only `files` if there is too much to check.",
    }),
    before: Type.Unknown({
      description: "The SHA-256 of an input, a stamp of other files; null if absent.",
    }),
    now: Type.Unknown(),
  },
  { title: "RestartDifference" },
);

const PlannedJobRecord = Type.Object(
  {
    key: Type.String({
      description: "The same as in the list of jobs: `0.1` is the second command of the first step.",
    }),
    name: Type.String({ description: "Name of the step." }),
    label: Type.String({ description: JOB_LABEL }),
    command: Type.String(),
    display_command: Type.String({ description: DISPLAY_COMMAND }),
    verdict: oneOf(["taken-over", "runs", "left-out"] as const),
    reason: Type.String({ description: "Reason of the decision, in one sentence." }),
    kind: Type.String({ description: "The kind of the reason: `taken-over`, `changed`, `failed-before`, …" }),
    facts: Type.Array(DecisionFactRecord, {
      description: "Facts behind the decision. A change of any fact may change the decision.",
    }),
    differences: Type.Array(DifferenceRecord),
  },
  { title: "PlannedJob" },
);

export const RestartPlanRecord = Type.Object(
  {
    workflow_id: Type.String({ format: "uuid" }),
    workflow_name: Type.String({ description: "The run to restart, with its number." }),
    previous: nullable(
      Type.String({
        description: "The last run of the workspace, whose jobs are reused.",
      }),
    ),
    taken_over: Type.Integer(),
    runs: Type.Integer(),
    left_out: Type.Integer(),
    jobs: Type.Array(PlannedJobRecord),
    complete: Type.Boolean({
      description: "False if jobs downstream of a rerun job are decided at run time.",
    }),
    warning: nullable(
      Type.String({
        description:
          "Which results a restart would replace, and which inputs have changed at their addresses, in sentences.",
      }),
    ),
  },
  { title: "RestartPlan" },
);

export function restartPlanRecord(planned: PlannedRestart): Static<typeof RestartPlanRecord> {
  const { run, previous, jobs, isComplete, warning } = planned;
  const count = (verdict: Judgement["verdict"]) => jobs.filter((job) => job.verdict === verdict).length;
  return {
    workflow_id: run.id,
    workflow_name: fullNameOf(run),
    previous: previous ? fullNameOf(previous) : null,
    taken_over: count("taken-over"),
    runs: count("runs"),
    left_out: count("left-out"),
    warning: warning ?? null,
    complete: isComplete,
    jobs: jobs.map(({ key, name, label = name, command, shownCommand, verdict, decision, differences }) => ({
      key,
      name,
      label,
      command,
      display_command: shownCommand,
      verdict,
      reason: decision.sentence,
      kind: decision.kind,
      facts: decision.facts.map(factRecord),
      differences: differences.map(({ field, before, now }) => ({ field, before, now })),
    })),
  };
}
