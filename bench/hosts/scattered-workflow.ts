import type { Specification } from "../../server/src/workflow/specification/specification.ts";
import { prepareYadage } from "../../server/src/engines/yadage/load/prepare.ts";
import { mapReduce } from "../support/map-reduce.ts";

/** A workflow with a single, wide stage. */
export interface ScatteredWorkflow {
  readonly workflow: Specification["workflow"];
  /** The engine's module. */
  readonly module: URL;
  /** The engine's model of the documents. Absent if the engine reads no documents. */
  readonly model?: unknown;
}

/** Returns a scatter of the given width, for a test-only engine or for Yadage. */
export function scatteredWorkflow(language: string, width: number): ScatteredWorkflow {
  return language === "yadage" ? inYadage(width) : forTests(width);
}

function forTests(width: number): ScatteredWorkflow {
  return {
    workflow: { type: "cwl", specification: { width } },
    module: new URL("../../server/test/runs/scatter-module.ts", import.meta.url),
  };
}

function inYadage(width: number): ScatteredWorkflow {
  const { stages, parameters } = mapReduce(width);
  const workflow: Specification["workflow"] = { type: "yadage", specification: { stages } };
  const inputs = { parameters };
  const made = prepareYadage({ specification: { workflow, inputs }, parameters: {}, options: {} }, {});
  if (made.kind !== "ready") throw new Error(JSON.stringify(made));
  const module = new URL("../../server/src/engines/yadage/yadage-module.ts", import.meta.url);
  return { workflow, module, model: made.model };
}
