import { describe, expect, test } from "vitest";
import { engineContract, SOME_RUN } from "#engines/contract-suite";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { answerAll, collectedOf, inputFor, problemsOf, requestFor } from "#engines/cwl/cwl-fixture";
import { loadJavaScript } from "#plumbing/javascript/evaluate";

const TOOL = `
cwlVersion: v1.2
class: CommandLineTool
baseCommand: cat
inputs:
  file: {type: File, inputBinding: {}}
  name: {type: string, default: out.txt}
stdout: $(inputs.name)
outputs:
  made: stdout
`;

const EXPRESSION = `
cwlVersion: v1.2
class: ExpressionTool
requirements: {InlineJavascriptRequirement: {}}
inputs: {numbers: "int[]"}
outputs: {doubled: "int[]"}
expression: "\${ return {doubled: inputs.numbers.map(function (n) { return n * 2; })}; }"
`;

const NESTED = `
cwlVersion: v1.2
class: Workflow
inputs: {file: File}
outputs:
  last: {type: File, outputSource: again/made}
steps:
  once: {run: tool.cwl, in: {file: file}, out: [made]}
  again: {run: tool.cwl, in: {file: once/made, name: {default: last.txt}}, out: [made]}
`;

const MAIN = `
cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}, SubworkflowFeatureRequirement: {}, InlineJavascriptRequirement: {}, StepInputExpressionRequirement: {}}
inputs:
  files: File[]
  wanted: boolean
outputs:
  all: {type: "File[]", outputSource: each/last}
  numbers: {type: "int[]", outputSource: double/doubled}
  maybe: {type: File?, outputSource: sometimes/made}
steps:
  each: {run: nested.cwl, scatter: file, in: {file: files}, out: [last]}
  double:
    run: expression.cwl
    in: {files: each/last, numbers: {valueFrom: "$([inputs.files.length, 1])"}}
    out: [doubled]
  sometimes: {run: tool.cwl, when: $(inputs.wanted), in: {wanted: wanted, file: {source: each/last, valueFrom: "$(self[0])"}}, out: [made]}
`;

const TEXTS = { "main.cwl": MAIN, "nested.cwl": NESTED, "tool.cwl": TOOL, "expression.cwl": EXPRESSION };
const evaluate = await loadJavaScript();
const engine = createCwlEngine();

function files(count: number) {
  return Array.from({ length: count }, (_, index) => ({ class: "File", path: `data/${index}.txt` }));
}

engineContract("CWL", {
  engine,
  evaluate,
  inputs: [
    inputFor(TEXTS, { file: { class: "File", path: "a.txt" } }, "tool.cwl"),
    inputFor(TEXTS, { files: files(4), wanted: true }),
    inputFor(TEXTS, { files: files(1), wanted: false }),
    inputFor(TEXTS, { numbers: [1, 2] }, "expression.cwl"),
    inputFor(TEXTS, { numbers: "no list" }, "expression.cwl"),
  ],
  answer: answerAll,
  collectedOf,
  prepared: {
    requests: ["main.cwl", "none.cwl", "tool.cwl#none", "circle.cwl", "../a.cwl"].map((file) =>
      requestFor(file),
    ),
    documents: { ...TEXTS, "circle.cwl": MAIN.replaceAll("nested.cwl", "circle.cwl") },
  },
});

describe("a tool", () => {
  test("becomes a job with its own folder, inputs where they lie, and outputs to collect", () => {
    const input = inputFor(TEXTS, { file: { class: "File", path: "data/a b.txt" } }, "tool.cwl");
    const workflow = engine.load(input, evaluate);
    const first = workflow.start();
    const ask = first.instructions.find(({ do: what }) => what === "look");
    const looked = answerAll(ask as Parameters<typeof answerAll>[0])!;
    const { instructions } = workflow.apply(first.state, looked);
    const submit = instructions.find((one) => one.do === "submit");
    expect(submit?.job).toMatchObject({
      key: "tool.cwl",
      command: { argv: ["cat", `${SOME_RUN.workspaceFolder}/data/a b.txt`] },
      workingFolder: "cwl/1/tool_cwl/out",
      stdout: "cwl/1/tool_cwl/out/out.txt",
      successCodes: [0],
      collect: { folder: "cwl/1/tool_cwl/out", sums: { patterns: ["out.txt"], algorithm: "sha1" } },
    });
  });
});

describe("a problem names the place, and a probable correction", () => {
  test("in an entry written without fields", () => {
    const short = TOOL.replace("{type: File, inputBinding: {}}", "Flie");
    expect(problemsOf({ "main.cwl": short })[0]).toMatchObject({ file: "main.cwl", line: 6, column: 3 });
  });

  test.each([
    [
      "type: File, inputBinding",
      "type: Flie, inputBinding",
      6,
      "The type `Flie` is not known; did you mean `File`?",
    ],
    ["baseCommand", "baseComand", 4, "the field `baseComand` is not known; did you mean `baseCommand`"],
    [
      "CommandLineTool",
      "ComandLineTool",
      3,
      'The class "ComandLineTool" is not known; did you mean `CommandLineTool`?',
    ],
    ["v1.2", "v9", 2, 'The version "v9" is not supported.'],
  ])("%s → %s", (right, wrong, line, sentence) => {
    const [problem] = problemsOf({ "main.cwl": TOOL.replace(right, wrong) });
    expect(problem).toMatchObject({ file: "main.cwl", line, message: expect.stringContaining(sentence) });
  });
});
