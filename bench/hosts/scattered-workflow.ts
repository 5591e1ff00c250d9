import type { Specification } from "../../server/src/workflow/specification/specification.ts";
import { prepareYadage } from "../../server/src/engines/yadage/load/prepare.ts";

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

/** A step for each number, and one that gets what all of them have published. */
function inYadage(width: number): ScatteredWorkflow {
  const step = (cmd: string) => ({
    process: { process_type: "string-interpolated-cmd", cmd },
    environment: { environment_type: "localproc-env" },
    publisher: { publisher_type: "frompar-pub", outputmap: { made: "made" } },
  });
  const stages = [
    {
      name: "map",
      dependencies: ["init"],
      scheduler: {
        scheduler_type: "multistep-stage",
        parameters: { n: { step: "init", output: "numbers" }, made: "{workdir}/made.txt" },
        scatter: { method: "zip", parameters: ["n"] },
        step: step("echo {n} > {made}"),
      },
    },
    {
      name: "reduce",
      dependencies: ["map"],
      scheduler: {
        scheduler_type: "singlestep-stage",
        parameters: { all: { stages: "map", output: "made" }, made: "{workdir}/made.txt" },
        step: step("cat {all} > {made}"),
      },
    },
  ];
  const workflow: Specification["workflow"] = { type: "yadage", specification: { stages } };
  const inputs = { parameters: { numbers: Array.from({ length: width }, (_, number) => number) } };
  const made = prepareYadage({ specification: { workflow, inputs }, parameters: {}, options: {} }, {});
  if (made.kind !== "ready") throw new Error(JSON.stringify(made));
  const module = new URL("../../server/src/engines/yadage/yadage-module.ts", import.meta.url);
  return { workflow, module, model: made.model };
}
