import { surveyEngine } from "../support/survey-engine.ts";
import { evaluateTiny } from "../support/tiny-expressions.ts";

/** The module that a worker loads. It adds an expression that needs more memory than there is. */
export const engine = surveyEngine;

export const evaluate: typeof evaluateTiny = (source, input, maxSteps) => {
  if (source === "everything") return { ok: true, value: allMemory() };
  return evaluateTiny(source, input, maxSteps);
};

function allMemory(): number {
  const kept: object[] = [];
  for (;;) kept.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
}
