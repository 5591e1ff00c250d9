/** CWL documents, each a single object without other files. */

const HEAD = { cwlVersion: "v1.2", id: "#main" } as const;

/** A command that prints a word. */
export const ECHO = {
  ...HEAD,
  class: "CommandLineTool",
  baseCommand: "echo",
  arguments: ["hello"],
  stdout: "out.txt",
  inputs: [],
  outputs: { out: "stdout" },
} as const;

/** A chain of steps that copy a file. */
export function chainOfCopies(steps: number): object {
  const copy = {
    class: "CommandLineTool",
    baseCommand: "cp",
    arguments: [{ position: 2, valueFrom: "copy.txt" }],
    inputs: { file: { type: "File", inputBinding: { position: 1 } } },
    outputs: { copy: { type: "File", outputBinding: { glob: "copy.txt" } } },
  };
  const one = (index: number) => ({
    id: `s${index}`,
    run: copy,
    in: [{ id: "file", source: index === 0 ? "file" : `s${index - 1}/copy` }],
    out: ["copy"],
  });
  return {
    ...HEAD,
    class: "Workflow",
    inputs: { file: { type: "File", default: { class: "File", basename: "copy.txt", contents: "x" } } },
    outputs: { last: { type: "File", outputSource: `s${steps - 1}/copy` } },
    steps: Array.from({ length: steps }, (_, index) => one(index)),
  };
}

/** A scatter without commands. Its step evaluates one JavaScript `valueFrom` for each number. */
export function scatterOfExpressions(count: number, valueFrom = "${ return 2 * inputs.i; }"): object {
  const nothing = {
    class: "ExpressionTool",
    inputs: { i: "int", double: "int" },
    outputs: [],
    expression: "$({})",
  };
  return scatter(count, nothing, { double: { valueFrom } });
}

/** A scatter of commands without files, all at once. */
export function scatterOfCommands(count: number): object {
  return scatter(count, { class: "CommandLineTool", baseCommand: "true", inputs: { i: "int" }, outputs: [] });
}

function scatter(count: number, run: object, inputs: object = {}): object {
  return {
    ...HEAD,
    class: "Workflow",
    requirements: {
      ScatterFeatureRequirement: {},
      StepInputExpressionRequirement: {},
      InlineJavascriptRequirement: {},
    },
    inputs: { numbers: { type: "int[]", default: Array.from({ length: count }, (_, index) => index) } },
    outputs: [],
    steps: { job: { run, scatter: "i", in: { i: "numbers", ...inputs }, out: [] } },
  };
}
