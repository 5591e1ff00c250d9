import type { Engine, EngineInput } from "#engines/engine";
import { prepareCwl, type PreparationOptions } from "#engines/cwl/cwl-preparation";
import { applyToFlow, type Options, startFlow } from "#engines/cwl/flow/flow";
import { graphOf } from "#engines/cwl/flow/graph";
import type { CwlState } from "#engines/cwl/flow/state";
import type { CwlModel } from "#engines/cwl/model/model";
import { keepsOutputsOnly } from "#workflow/run/kept-files";
import type { Job } from "#workflow/job/job";

export interface CwlOptions extends PreparationOptions {
  /** True if outputs are published into the folder of results. Otherwise outputs are returned in place. */
  readonly publishes: boolean;
  /** True if jobs record their contents to allow reuse by later runs. Default: `publishes`. */
  readonly keepsContents?: boolean;
  /** Variables added to the environment of every job, if results may depend on them. */
  readonly environment?: Readonly<Record<string, string>>;
  /** True if independent steps still run after a failure. */
  readonly finishesAfterFailure?: boolean;
  /** The user of jobs in containers. Default: the backend's. */
  readonly user?: Job["user"];
}

/** The Common Workflow Language, v1.0 to v1.2. */
export function createCwlEngine(given: CwlOptions = { publishes: true, root: "" }): Engine<CwlState> {
  const {
    publishes,
    root,
    keepsContents = publishes,
    environment = {},
    finishesAfterFailure = false,
  } = given;
  return {
    language: "cwl",
    version: 5,
    check: () => [],
    prepare: (request, documents) => prepareCwl(request, documents, { root }),
    load({ model, options: asked, ...request }: EngineInput, evaluate) {
      const options: Options = {
        ...request,
        model: model as CwlModel,
        evaluate,
        publishes,
        keepsContents,
        environment,
        finishesAfterFailure,
        user: given.user,
        releasesFiles: keepsOutputsOnly({ specification: request.specification, options: asked }),
      };
      return {
        start: () => startFlow(options),
        apply: (state, event) => applyToFlow(options, state, event),
        graph: () => graphOf(options.model),
      };
    },
  };
}
