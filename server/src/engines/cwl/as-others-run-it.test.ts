import { describe, expect, test } from "vitest";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import {
  answerAll,
  inputFor,
  instructionsOf,
  lastOf,
  problemsOf,
  requestFor,
  type RunWorld,
  type Texts,
} from "#engines/cwl/cwl-fixture";
import { prepareCwl } from "#engines/cwl/cwl-preparation";
import type { CwlModel } from "#engines/cwl/model/model";
import type { Evaluate } from "#engines/engine";
import { loadJavaScript } from "#plumbing/javascript/evaluate";

/** Documents that CWL runners, Reprise included, accept, warn of or refuse. */
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

describe("a workflow that does not name the used features", () => {
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

  test("is not warned of if the workflow, or a workflow around the step, names the features", () => {
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

test("an ontology that cannot be fetched is a warning", () => {
  const formats = (wanted: string) =>
    `{cwlVersion: v1.2, $schemas: ["https://example.org/e.owl"], class: CommandLineTool, baseCommand: "true", inputs: {f: {type: File, format: "http://e/1", default: {class: File, path: a, format: "${wanted}"}}}, outputs: {}}`;
  expect(prepareCwl(requestFor("main.cwl"), { "main.cwl": formats("http://e/2") })).toMatchObject({
    kind: "needs",
    documents: [{ location: "https://example.org/e.owl", isOptional: true }],
  });
  const texts = { "main.cwl": formats("http://e/2"), "//https://example.org/e.owl": "It is away." };
  expect(warningsOf(texts)).toEqual([expect.stringMatching(/^main.cwl, line 1.*It is away\. Formats are/)]);
  // Equal formats need no ontology.
  expect(warningsOf({ "main.cwl": formats("http://e/1") })).toEqual([]);
});

test.each([
  ["location", "file:///data/a%20b.txt"],
  ["path", "file:///data/a%20b.txt"],
  ["path", "/data/a b.txt"],
])("a file may be named by %s: %s", (key, place) => {
  const text = tool("").replace(
    "inputs: {}",
    `inputs: {f: {type: File, default: {class: File, ${key}: "${place}"}}}`,
  );
  const made = prepareCwl(requestFor("main.cwl"), { "main.cwl": text }, { root: "/" });
  expect(made).toMatchObject({
    model: { processes: [{ inputs: [{ default: { location: "/data/a b.txt" } }] }] },
  });
});

test("a type that cwltool packed once is known wherever it is named", () => {
  const row = `{type: record, name: "#row.yml/row", fields: {n: int}}`;
  const part = (id: string, type: string) =>
    `{id: "#${id}", class: CommandLineTool, baseCommand: "true", requirements: [{class: SchemaDefRequirement, types: [${type}]}], inputs: [{id: "#${id}/r", type: "#row.yml/row"}], outputs: []}`;
  const packed = (type: string) =>
    `{cwlVersion: v1.2, $graph: [${part("main", type)}, ${part("a.cwl", row)}]}`;
  expect(inputFor({ "main.cwl": packed('{$import: "#row.yml/row"}') }).model).toMatchObject({
    processes: [{ inputs: [{ type: { kind: "record", fields: [{ name: "n", type: "int" }] } }] }],
  });
  expect(messagesOf({ "main.cwl": packed('{$import: "#row.yml/no"}') })).toEqual([
    expect.stringContaining("names no document"),
  ]);
});

test("a job may write to an input updated in place", () => {
  const update = `{cwlVersion: v1.2, class: CommandLineTool, baseCommand: "true", requirements: {InplaceUpdateRequirement: {inplaceUpdate: true}, InitialWorkDirRequirement: {listing: [{entry: $(inputs.d), entryname: d, writable: true}, {entry: $(inputs.f), entryname: f}]}}, inputs: {d: {type: Directory, default: {class: Directory, path: made/d}}, f: {type: File, default: {class: File, path: made/f}}}, outputs: {}}`;
  const answer: RunWorld["answer"] = (ask) =>
    ask.do === "look"
      ? {
          kind: "looked",
          id: ask.id,
          files: ask.paths.map((path) => ({
            path,
            kind: path.endsWith("d") ? ("folder" as const) : ("file" as const),
            bytes: 1,
          })),
        }
      : answerAll(ask);
  const all = instructionsOf(engine.load(inputFor({ "main.cwl": update }), evaluate), { answer });
  const writable = all.flatMap((one) => (one.do === "submit" ? (one.job.writable ?? []) : []));
  expect(writable.slice(2)).toEqual(["made/d"]);
  expect(writable.join()).not.toContain("made/f");
});

describe("a file with inputs", () => {
  const document = tool("").replace(
    "inputs: {}",
    "inputs: {n: int, mode: {type: {type: enum, symbols: [slow]}}}",
  );
  const request = (job: string, parameters: Readonly<Record<string, unknown>> = {}) => {
    const base = requestFor("main.cwl", parameters);
    const specification = { ...base.specification, inputs: { parameters: { input: "job.yml" } } };
    return prepareCwl({ ...base, specification }, { "main.cwl": document, "job.yml": job });
  };

  test("has all wrong inputs refused, with line numbers", () => {
    expect(request('n: "12"\nmode: quick\n')).toMatchObject({
      kind: "refused",
      problems: [
        { file: "job.yml", line: 1, message: 'The input `n` is "12", not int.' },
        { file: "job.yml", line: 2, message: expect.stringContaining("not one of slow") as string },
      ],
    });
    expect(request('n: "12"\n', { n: 12 })).toMatchObject({ kind: "ready" });
  });

  test("is warned of if the document holds ignored parts", () => {
    expect(request("n: 1\nmodes: slow\ncwltool:overrides: {}\n")).toMatchObject({
      model: {
        warnings: [
          expect.stringMatching(/^job.yml, line 2, .*no input `modes`; did you mean `mode`\? It is ignored/),
          expect.stringMatching(/^job.yml, line 3, .*`cwltool:overrides` is an extension/),
        ],
      },
    });
  });
});
