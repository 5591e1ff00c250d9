import type { CwlModel } from "#engines/cwl/model/model";
import { type Evaluate, evaluatesNothing } from "#engines/engine";

/** Loads JavaScript only if the workflow has an `InlineJavascriptRequirement`. */
export async function evaluatorFor(model: CwlModel): Promise<Evaluate> {
  if (!JSON.stringify(model).includes('"InlineJavascriptRequirement"')) return evaluatesNothing;
  return (await import("#plumbing/javascript/evaluate")).loadJavaScript();
}
