import { withDask } from "#engines/dask/with-dask";
import { yadageEngine } from "#engines/yadage/yadage-engine";
import { jqEvaluator } from "#plumbing/jq/jq";

/** The engine and its evaluator, as loaded in worker processes. */
export const engine = withDask(yadageEngine);

export const evaluate = jqEvaluator();
