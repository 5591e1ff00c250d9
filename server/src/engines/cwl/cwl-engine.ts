import type { Engine, EngineInput } from "#engines/engine";
import { prepareCwl, type PreparationOptions } from "#engines/cwl/cwl-preparation";
import { applyToFlow, type Options, startFlow } from "#engines/cwl/flow/flow";
import { graphOf } from "#engines/cwl/flow/graph";
import type { CwlState } from "#engines/cwl/flow/state";
import type { CwlModel } from "#engines/cwl/model/model";
import { keepsOutputsOnly } from "#workflow/run/kept-files";
import type { Job } from "#workflow/job/job";

export interface CwlOptions extends PreparationOptions {
  /** True if outputs are put into the folder of results. Else they are returned where they lie. */
  readonly publishes: boolean;
  /** The user of jobs in containers. Default: the backend's. */
  readonly user?: Job["user"];
}

/** The Common Workflow Language, v1.0 to v1.2. */
export function createCwlEngine(
  { publishes, root, user }: CwlOptions = { publishes: true, root: "" },
): Engine<CwlState> {
  return {
    language: "cwl",
    version: 4,
    check: () => [],
    prepare: (request, documents) => prepareCwl(request, documents, { root }),
    load(
      { model, run, restart, retries, reuseAcrossRuns, specification, options: given }: EngineInput,
      evaluate,
    ) {
      const options: Options = {
        model: model as CwlModel,
        run,
        evaluate,
        publishes,
        keepsContents: publishes,
        user,
        restart,
        reuseAcrossRuns,
        retries,
        specification,
        releasesFiles: keepsOutputsOnly({ specification, options: given }),
      };
      return {
        start: () => startFlow(options),
        apply: (state, event) => applyToFlow(options, state, event),
        graph: () => graphOf(options.model),
      };
    },
  };
}
