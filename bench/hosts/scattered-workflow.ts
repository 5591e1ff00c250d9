import type { Specification } from "../../server/src/workflow/specification/specification.ts";
import { prepareYadage } from "../../server/src/engines/yadage/load/prepare.ts";
import { mapReduce } from "../support/map-reduce.ts";

/** A workflow whose only stage has many jobs. */
export interface ScatteredWorkflow {
  readonly workflow: Specification["workflow"];
  /** The module of its engine. */
  readonly module: URL;
  /** Model that the engine makes of the documents. Absent if it reads none. */
  readonly model?: unknown;
}

/** Returns a scatter of that width, for an engine that only tests have, or for Yadage. */
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
