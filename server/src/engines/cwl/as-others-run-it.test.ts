import { describe, expect, test } from "vitest";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { inputFor, lastOf, problemsOf, type Texts } from "#engines/cwl/cwl-fixture";
import type { CwlModel } from "#engines/cwl/model/model";
import type { Evaluate } from "#engines/engine";
import { loadJavaScript } from "#plumbing/javascript/evaluate";

/** Documents that other runners of CWL accept, warn of or refuse, and Reprise too. */
const javaScript = await loadJavaScript();
const evaluate: Evaluate = (evaluation) => javaScript({ ...evaluation, maxSteps: 1e6 });
const engine = createCwlEngine({ publishes: false, root: "" });

const tool = (fields: string, version = "v1.2") =>
  `{cwlVersion: ${version}, class: CommandLineTool, baseCommand: "true", inputs: {}, outputs: {}, ${fields}}`;
const warningsOf = (texts: Texts) => (inputFor(texts).model as CwlModel).warnings;
const messagesOf = (texts: Texts) => problemsOf(texts).map(({ message }) => message);

describe("null for an output of the type Any", () => {
  const nothing = (type: string) =>
    `{cwlVersion: v1.2, class: ExpressionTool, requirements: {InlineJavascriptRequirement: {}}, inputs: [], outputs: {o: ${type}}, expression: '\${return {o: null};}'}`;
  const around = `{cwlVersion: v1.2, class: Workflow, inputs: [], outputs: {all: {type: Any, outputSource: s/o}}, steps: {s: {run: tool.cwl, in: {}, out: [o]}}}`;
  const endOf = (texts: Texts) => lastOf(engine.load(inputFor(texts), evaluate));

  test("is taken from an ExpressionTool, and from a workflow that passes it on", () => {
    expect(endOf({ "main.cwl": nothing("Any") })).toMatchObject({ do: "finish", outputs: { o: null } });
    const passed = { "main.cwl": around, "tool.cwl": nothing("Any") };
    expect(endOf(passed)).toMatchObject({ do: "finish", outputs: { all: null } });
  });

  test("is refused for any other type, and from a CommandLineTool", () => {
    expect(endOf({ "main.cwl": nothing("string") })).toMatchObject({ do: "fail" });
    const command = `{cwlVersion: v1.2, class: CommandLineTool, requirements: {InlineJavascriptRequirement: {}}, baseCommand: "true", inputs: [], outputs: {o: {type: Any, outputBinding: {outputEval: $(null)}}}}`;
    expect(endOf({ "main.cwl": command })).toMatchObject({ do: "fail" });
  });
});

describe("a requirement that Reprise would not keep", () => {
  const software = "{SoftwareRequirement: {packages: {samtools: {version: ['99']}}}}";

  test("is refused by name: packages of software", () => {
    expect(messagesOf({ "main.cwl": tool(`requirements: ${software}`) })).toEqual([
      expect.stringMatching(/^Unsupported: .*`SoftwareRequirement`.*under `hints`/),
    ]);
  });

  test("is ignored with a warning as a hint", () => {
    expect(warningsOf({ "main.cwl": tool(`hints: ${software}`) })).toEqual([
      expect.stringMatching(/`SoftwareRequirement`.*ignored/),
    ]);
  });
});

test.each(["v1.0", "v1.1", "v1.2"])("a part of a core in %s is refused before v1.2", (version) => {
  const text = tool("requirements: {ResourceRequirement: {coresMin: 0.5}}", version);
  expect(messagesOf({ "main.cwl": text })).toEqual(
    version === "v1.2"
      ? []
      : [
          expect.stringMatching(
            /`coresMin` is 0.5.*needs `cwlVersion: v1.2`, and the document says v1\.[01]/,
          ),
        ],
  );
});

describe("a workflow that does not name the features that it uses", () => {
  const inner = `{cwlVersion: v1.2, class: Workflow, inputs: {n: int}, outputs: {}, steps: {}}`;
  const outer = (requirements: string) => `cwlVersion: v1.2
class: Workflow
requirements: ${requirements}
inputs: {a: int, b: int, many: "int[]"}
outputs: []
steps:
  each: {run: tool.cwl, scatter: n, in: {n: many}, out: []}
  both: {run: tool.cwl, in: {n: {source: [a, b], pickValue: first_non_null}}, out: []}
  new: {run: tool.cwl, in: {n: {valueFrom: "1"}}, out: []}
  whole: {run: inner.cwl, in: {n: a}, out: []}
`;
  const texts = (requirements = "{}") => ({
    "main.cwl": outer(requirements),
    "inner.cwl": inner,
    "tool.cwl": tool("").replace("inputs: {}", "inputs: {n: Any}"),
  });

  test("is warned of at each use, with its line", () => {
    expect(warningsOf(texts())).toEqual([
      expect.stringMatching(/^main.cwl, line 7, .*scatters.*ScatterFeatureRequirement/),
      expect.stringMatching(/^main.cwl, line 8, .*several sources.*MultipleInputFeatureRequirement/),
      expect.stringMatching(/^main.cwl, line 9, .*valueFrom.*StepInputExpressionRequirement/),
      expect.stringMatching(/^main.cwl, line 10, .*runs a workflow.*SubworkflowFeatureRequirement/),
    ]);
  });

  test("is not warned of if it names them, or a workflow around it does", () => {
    const all =
      "{ScatterFeatureRequirement: {}, MultipleInputFeatureRequirement: {}, StepInputExpressionRequirement: {}, SubworkflowFeatureRequirement: {}}";
    expect(warningsOf(texts(all))).toEqual([]);
    const around = `{cwlVersion: v1.2, class: Workflow, requirements: ${all}, inputs: {a: int, b: int, many: "int[]"}, outputs: [], steps: {s: {run: main.cwl, in: {a: a, b: b, many: many}, out: []}}}`;
    const { warnings } = inputFor({ ...texts(), "around.cwl": around }, {}, "around.cwl").model as CwlModel;
    expect(warnings).toEqual([]);
  });
});

test("a field for inputs or outputs without a value is refused", () => {
  const empty = "{cwlVersion: v1.2, class: CommandLineTool, baseCommand: a, inputs: {}, outputs: }";
  expect(messagesOf({ "main.cwl": empty })).toEqual([expect.stringContaining("`outputs` is empty")]);
});

test("a version that is not supported is the only problem of its document", () => {
  const text = tool("loop: {}", "v1.3");
  expect(messagesOf({ "main.cwl": text })).toEqual([
    'Unsupported: The version "v1.3" is not supported. Supported are v1.0, v1.1, v1.2.',
  ]);
});

test("a document without a graph has one process", () => {
  const [problem] = problemsOf({ "main.cwl": tool("") }, {}, { file: "main.cwl#one" });
  expect(problem!.message).toBe("main.cwl has no process `one`: it is one process, and has no `$graph`.");
});
