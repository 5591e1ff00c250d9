import Type, { type Static } from "typebox";
import type { Decision, Difference } from "#workflow/job/decision";

/** Records of decisions, for the plan of a restart and for its jobs. */

export const DecisionFactRecord = Type.Object(
  {
    field: Type.String({ description: "What was compared: `command`, `inputs data/in.csv`, `status`, …" }),
    before: Type.Unknown({ description: "Earlier value. Null if no value existed." }),
    now: Type.Unknown(),
  },
  { title: "DecisionFact" },
);

export const DecisionRecord = Type.Object(
  {
    kind: Type.String({ description: "`taken-over`, `changed`, `failed-before`, `follows`, `retried`, …" }),
    sentence: Type.String(),
    facts: Type.Array(DecisionFactRecord),
  },
  { title: "Decision" },
);

export function factRecord({ field, before, now }: Difference): Static<typeof DecisionFactRecord> {
  return { field, before, now };
}

export function decisionRecord({ kind, sentence, facts }: Decision): Static<typeof DecisionRecord> {
  return { kind, sentence, facts: facts.map(factRecord) };
}
