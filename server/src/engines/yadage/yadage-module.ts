import { jqEvaluator } from "#plumbing/jq/jq";

/** The engine and its evaluator, as its worker processes load them. */
export { yadageEngine as engine } from "#engines/yadage/yadage-engine";

export const evaluate = jqEvaluator();
