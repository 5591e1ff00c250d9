import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { withDask } from "#engines/dask/with-dask";
import { loadJavaScript } from "#plumbing/javascript/evaluate";

/** The engine of CWL, loaded by worker processes only when a run needs CWL. */
export const engine = withDask(createCwlEngine());
export const evaluate = await loadJavaScript();
