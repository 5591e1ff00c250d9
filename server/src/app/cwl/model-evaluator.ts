import type { CwlModel } from "#engines/cwl/model/model";
import { type Evaluate, evaluatesNothing } from "#engines/engine";

/** Loads JavaScript only for a workflow that may use it. */
export async function evaluatorFor(model: CwlModel): Promise<Evaluate> {
  if (!JSON.stringify(model).includes('"InlineJavascriptRequirement"')) return evaluatesNothing;
  return (await import("#plumbing/javascript/evaluate")).loadJavaScript();
}
