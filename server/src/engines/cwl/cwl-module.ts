import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { loadJavaScript } from "#plumbing/javascript/evaluate";

/** The engine of CWL, as worker processes load it: only when a run needs it. */
export const engine = createCwlEngine();
export const evaluate = await loadJavaScript();
