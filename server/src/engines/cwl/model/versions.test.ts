import { describe, expect, test } from "vitest";
import { inputFor, problemsOf } from "#engines/cwl/cwl-fixture";
import type { CwlModel } from "#engines/cwl/model/model";

const VERSIONS = ["v1.0", "v1.1", "v1.2"] as const;

const tool = (version: string, fields: string) => ({
  "main.cwl": `cwlVersion: ${version}\nclass: CommandLineTool\nbaseCommand: "true"\n${fields}`,
});
const workflow = (version: string, fields: string) => ({
  "main.cwl": `cwlVersion: ${version}\nclass: Workflow\n${fields}`,
  "tool.cwl": `cwlVersion: v1.0\nclass: CommandLineTool\ninputs: {}\noutputs: {}\nbaseCommand: "true"\n`,
});
const inputOf = (field: string) => `inputs: {a: {type: File, ${field}}}\noutputs: {}\n`;
const stepWith = (field: string) =>
  `inputs: {}\noutputs: {}\nsteps: {s: {run: tool.cwl, in: {}, out: [], ${field}}}\n`;

describe("a document uses only features of the declared version", () => {
  test.each([
    ["v1.1", "loadContents", tool, inputOf("loadContents: true")],
    ["v1.1", "loadListing", tool, inputOf("loadListing: no_listing")],
    ["v1.1", "pattern", tool, inputOf("secondaryFiles: {pattern: .i}")],
    ["v1.1", "an expression for `position`", tool, inputOf('inputBinding: {position: "$(1)"}')],
    [
      "v1.1",
      "secondaryFiles",
      tool,
      inputOf("type: {type: record, fields: {f: {type: File, secondaryFiles: .i}}}"),
    ],
    ["v1.1", "the type `stdin`", tool, inputOf("type: stdin")],
    [
      "v1.1",
      "NetworkAccess",
      tool,
      `requirements: {NetworkAccess: {networkAccess: true}}\n${inputOf("doc: a")}`,
    ],
    ["v1.2", "intent", tool, `intent: []\n${inputOf("doc: a")}`],
    ["v1.2", "when", workflow, stepWith("when: $(true)")],
    ["v1.1", "label", workflow, stepWith("in: {a: {label: b}}")],
    ["v1.2", "pickValue", workflow, stepWith("in: {a: {pickValue: all_non_null}}")],
  ] as const)("%s brought %s", (since, what, documents, fields) => {
    // In YAML, the last of two equal keys would be an error.
    const text = fields
      .replace(/type: File, (type:)/, "$1")
      .replace(/in: {}, out: \[\], (in:)/, "out: [], $1");
    for (const version of VERSIONS) {
      const messages = problemsOf(documents(version, text)).map(({ message }) => message);
      if (version >= since) expect(messages).toEqual([]);
      else
        expect(messages).toEqual([
          expect.stringMatching(
            new RegExp(
              `\`?${what.replaceAll("`", "\\`")}\`? needs .*cwlVersion: ${since}.*, and the document says ${version}`,
            ),
          ),
        ]);
    }
  });

  test("and a hint of a later version is ignored with a warning", () => {
    const hint = `hints: {ToolTimeLimit: {timelimit: 1}}\n${inputOf("doc: a")}`;
    const model = inputFor(tool("v1.0", hint)).model as CwlModel;
    expect(model.warnings).toEqual([expect.stringContaining("needs `cwlVersion: v1.1`")]);
    expect(model.processes[0]!.hints).toEqual([]);
  });

  test("and v1.0 has its early names", () => {
    const early = `$namespaces: {c: "http://commonwl.org/cwltool#", a: "http://arvados.org/cwl#"}
hints: {c:TimeLimit: {timelimit: 1}, a:ReuseRequirement: {enableReuse: false}}\n${inputOf("doc: a")}`;
    const model = inputFor(tool("v1.0", early)).model as CwlModel;
    expect(model.processes[0]!.hints.map((one) => one.class)).toEqual(["ToolTimeLimit", "WorkReuse"]);
  });
});

test("a question mark makes a secondary file optional from v1.1 on", () => {
  const patterns = VERSIONS.map((version) => {
    const model = inputFor(tool(version, inputOf("secondaryFiles: .i?"))).model as CwlModel;
    return model.processes[0]!.inputs[0]!.secondaryFiles;
  });
  const optional = [{ pattern: ".i", required: false }];
  expect(patterns).toEqual([[{ pattern: ".i?" }], optional, optional]);
});

test("the version at the top of a packed document counts for all processes in it", () => {
  const packed = (top: string) => `
${top}
$graph:
- {id: main, class: CommandLineTool, cwlVersion: v1.0, inputs: {}, outputs: {}, baseCommand: "true"}
`;
  const versionIn = (top: string) =>
    (inputFor({ "main.cwl": packed(top) }).model as CwlModel).processes[0]!.version;
  expect(versionIn("cwlVersion: v1.2")).toBe("v1.2");
  expect(versionIn("")).toBe("v1.0");
});

test("requirements in the input object need v1.1", () => {
  const parameters = { "cwl:requirements": [{ class: "EnvVarRequirement", envDef: { A: "b" } }] };
  const refused = VERSIONS.map((version) =>
    problemsOf(tool(version, "inputs: {}\noutputs: {}\n"), parameters),
  );
  expect(refused.map(({ length }) => length)).toEqual([1, 0, 0]);
});
