import { completeOutputs } from "#engines/cwl/flow/complete-outputs";
import { CwlFailure } from "#engines/cwl/expressions/evaluator";
import { placeOfOutput } from "#engines/cwl/command/output-patterns";
import { asksFor, NO_FACTS, withAnswer } from "#engines/cwl/values/facts";
import { answerAsk } from "#runner/files/answer-ask";
import { digestsIn } from "#workflow/capabilities";
import type { RunFiles } from "#workspace/run-files";

type Values = Readonly<Record<string, unknown>>;

/** Completes the outputs of a failed run. An output with unusable files becomes null. */
export async function completeFailedOutputs(
  values: Values,
  inputs: unknown,
  files: RunFiles,
): Promise<Values> {
  const completed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    try {
      Object.assign(completed, await completeOne({ [name]: value }, inputs, files));
    } catch (error) {
      if (!(error instanceof CwlFailure)) throw error;
      completed[name] = null;
    }
  }
  return completed;
}

async function completeOne(values: Values, inputs: unknown, files: RunFiles): Promise<Values> {
  const origins = { whatOf: placeOfOutput, inputs: () => [inputs] };
  for (let facts = NO_FACTS; ;) {
    const settled = completeOutputs(values, facts, origins);
    if ("values" in settled) return settled.values;
    for (const ask of asksFor(settled.needs, (number) => `outputs ${number}`)) {
      const answer = await answerAsk(files, ask, digestsIn([]));
      if (answer.kind === "refused") throw new CwlFailure(answer.reason);
      facts = withAnswer(facts, ask, answer);
    }
  }
}
