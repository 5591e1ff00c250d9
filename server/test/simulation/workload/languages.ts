import type { Specification } from "#workflow/specification/specification";
import type { Dice } from "../dice.ts";
import type { Plan } from "./workload.ts";

/** The step that joins the results of a run's parts. */
export const JOIN = "join";
/** The beginning of the names of the parts. */
export const PART = "part";

const PARTS_MAX = 5;

/**
 * Shares of replaced runs in a world. The share is mostly zero, because replaced runs take longer to
 * simulate.
 */
const SHARES = [0, 0, 0, 0, 0.25, 0.5];

/** Replaces runs by runs in CWL and Yadage. A separate dice leaves all other choices unchanged. */
export function inOtherLanguages(dice: Dice, plans: readonly Plan[]): readonly Plan[] {
  const share = dice.pick(SHARES);
  return plans.map((plan) => {
    if (!dice.chance(share)) return plan;
    const names = Array.from({ length: dice.between(1, PARTS_MAX) }, (_, index) => `data/${index}.txt`);
    const files = Object.fromEntries(names.map((name) => [name, `of ${name}`]));
    return { ...plan, ...(dice.chance(0.5) ? inCwl(dice, names, files) : inYadage(names, files)) };
  });
}

type Run = Pick<Plan, "specification" | "files">;
type Files = Plan["files"];

const MADE = { made: { type: "File?", outputBinding: { glob: "made.txt" } } };
/** The job of one part, with a private copy as the staged file. */
const PART_TOOL = {
  class: "CommandLineTool",
  requirements: {
    InitialWorkDirRequirement: { listing: [{ entryname: "own", entry: "$(inputs.name)", writable: true }] },
  },
  baseCommand: "make",
  inputs: { name: "File" },
  outputs: MADE,
};
const AGAIN_TOOL = {
  class: "CommandLineTool",
  baseCommand: "make",
  inputs: { name: "File?" },
  outputs: MADE,
};
const JOIN_TOOL = {
  class: "CommandLineTool",
  baseCommand: "make",
  inputs: { parts: { type: { type: "array", items: ["null", "File"] } } },
  outputs: MADE,
};
/** The steps of each part: the first makes something of a file, the second of what the first has made. */
const PARTS = {
  class: "Workflow",
  inputs: { name: "File" },
  outputs: { made: { type: "File?", outputSource: `${PART}-again/made` } },
  steps: {
    [PART]: { in: { name: "name" }, out: ["made"], run: PART_TOOL },
    [`${PART}-again`]: { in: { name: `${PART}/made` }, out: ["made"], run: AGAIN_TOOL },
  },
};
/** The file that a step with a condition leaves out. */
const LEFT_OUT = "0.txt";
/** The texts of the parts, by the name of the document. */
const CWL_PARTS = {
  "scatter.cwl": { run: PART_TOOL },
  "when.cwl": { run: PART_TOOL, when: `$(inputs.name.basename !== "${LEFT_OUT}")` },
  "nested.cwl": { run: PARTS },
};

const YADAGE_FILE = "main.yml";
/** The documents of the replacing runs. */
export const DOCUMENTS: readonly string[] = [...Object.keys(CWL_PARTS), YADAGE_FILE];

function cwlOf(part: object): object {
  return {
    cwlVersion: "v1.2",
    class: "Workflow",
    requirements: {
      InlineJavascriptRequirement: {},
      ScatterFeatureRequirement: {},
      SubworkflowFeatureRequirement: {},
    },
    inputs: { names: "File[]" },
    outputs: { all: { type: "File?", outputSource: `${JOIN}/made` } },
    steps: {
      [PART]: { scatter: "name", in: { name: "names" }, out: ["made"], ...part },
      [JOIN]: { in: { parts: `${PART}/made` }, out: ["made"], run: JOIN_TOOL },
    },
  };
}

function inCwl(dice: Dice, names: readonly string[], files: Files): Run {
  const [file, part] = dice.pick(Object.entries(CWL_PARTS));
  const parameters = { names: names.map((path) => ({ class: "File", path })) };
  return { ...run("cwl", file, parameters), files: { ...files, [file]: JSON.stringify(cwlOf(part)) } };
}

const STEP = {
  process: { process_type: "string-interpolated-cmd", cmd: "make {made}" },
  environment: { environment_type: "localproc-env" },
  publisher: { publisher_type: "fromglob-pub", globexpression: "made*", outputkey: "made" },
};

const YADAGE = {
  stages: [
    {
      name: PART,
      dependencies: ["init"],
      scheduler: {
        scheduler_type: "multistep-stage",
        parameters: { name: { step: "init", output: "names" }, made: "{workdir}/made.txt" },
        scatter: { method: "zip", parameters: ["name"] },
        step: STEP,
      },
    },
    {
      name: JOIN,
      dependencies: [PART],
      scheduler: {
        scheduler_type: "singlestep-stage",
        parameters: {
          parts: { stages: PART, output: "made", flatten: true },
          made: "{workdir}/made.txt",
        },
        step: STEP,
      },
    },
  ],
};

function inYadage(names: readonly string[], files: Files): Run {
  return {
    ...run("yadage", YADAGE_FILE, { names }),
    files: { ...files, [YADAGE_FILE]: JSON.stringify(YADAGE) },
  };
}

function run(type: "cwl" | "yadage", file: string, parameters: Readonly<Record<string, unknown>>) {
  const specification: Specification = { workflow: { type, file }, inputs: { parameters } };
  return { specification };
}

/** Returns the number of jobs in a finished run with the specification. */
export function jobsIn({ workflow, inputs }: Specification): number | undefined {
  if (workflow.type !== "cwl" && workflow.type !== "yadage") return undefined;
  const parts = (inputs!.parameters!["names"] as readonly unknown[]).length;
  if (workflow.file === "nested.cwl") return 2 * parts + 1;
  return workflow.file === "when.cwl" ? parts : parts + 1;
}
