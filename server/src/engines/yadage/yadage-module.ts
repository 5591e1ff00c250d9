import { jqEvaluator } from "#plumbing/jq/jq";

/** The engine and its evaluator, as loaded in worker processes. */
export { yadageEngine as engine } from "#engines/yadage/yadage-engine";

export const evaluate = jqEvaluator();
