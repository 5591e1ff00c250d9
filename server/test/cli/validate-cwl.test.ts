import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { checkCwl } from "#app/cwl/check-cwl";
import { reportOn } from "#app/check-specification";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";

/** `reprise validate` for a CWL document, and for a specification that names a CWL document. */
const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-validate-cwl-"));
const before = process.cwd();

const TOOL = `cwlVersion: v1.2
class: CommandLineTool
requirements: {InlineJavascriptRequirement: {}}
baseCommand: wc
arguments: [$(inputs.flag + '')]
inputs:
  file: {type: File, inputBinding: {}}
  flag: {type: string, default: -l}
stdout: count.txt
outputs: {count: stdout}
`;
const MAIN = `cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}, SubworkflowFeatureRequirement: {}}
inputs: {files: "File[]", last: File}
outputs: {}
steps:
  each: {run: tools/count.cwl, scatter: file, in: {file: files}, out: [count]}
  inner:
    run:
      class: Workflow
      inputs: {file: File}
      outputs: {}
      steps: {first: {run: tools/count.cwl, in: {file: file}, out: [count]}}
    in: {file: last, after: {source: each/count}}
    out: []
`;
const JOB =
  "files: [{class: File, path: a.txt}, {class: File, path: b.txt}]\nlast: {class: File, path: a.txt}\n";
const REANA = (file: string) =>
  `inputs: {parameters: {input: job.yml}}\nworkflow: {type: cwl, file: ${file}}\n`;

beforeAll(async () => {
  process.chdir(folder);
  await mkdir("tools");
  await writeFile("tools/count.cwl", TOOL);
  await writeFile("main.cwl", MAIN);
  await writeFile("wrong.cwl", MAIN.replace("source: each/count", "source: each/counted"));
  await writeFile("tools/wrong.cwl", TOOL.replace("type: File,", "type: Flie,"));
  await writeFile("uses-wrong.cwl", MAIN.replaceAll("count.cwl", "wrong.cwl"));
  await writeFile("throws.cwl", TOOL.replace("inputs.flag + ''", "inputs.flag.no.such"));
  await writeFile(
    "packed.cwl",
    "cwlVersion: v1.2\n$graph: [{id: one, class: Operation, inputs: {}, outputs: {}}]\n",
  );
  await writeFile("remote.cwl", MAIN.replace("tools/count.cwl", "https://example.org/tool.cwl?token=secret"));
  const container = "DockerRequirement: {dockerPull: any:1}";
  await writeFile("container.cwl", TOOL.replace("requirements: {", `requirements: {${container}, `));
  await writeFile("uses-container.cwl", MAIN.replaceAll("tools/count.cwl", "container.cwl"));
  await writeFile("reana-container.yaml", REANA("uses-container.cwl"));
  await writeFile("job.yml", JOB);
  await writeFile("absent.yml", JOB.replace("b.txt", "c.txt"));
  await writeFile("one.yml", "file: {class: File, path: a.txt}\n");
  await writeFile("less.yml", "last: {class: File, path: a.txt}\n");
  await writeFile("a.txt", "a\n");
  await writeFile("b.txt", "b\n");
  await writeFile("reana.yaml", REANA("main.cwl"));
  await writeFile("reana-wrong.yaml", REANA("uses-wrong.cwl"));
  await writeFile("reana-absent.yaml", REANA("none.cwl"));
  await writeFile("reana-remote.yaml", REANA("remote.cwl"));
});
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

afterEach(() => vi.unstubAllEnvs());

async function validate(...args: readonly string[]) {
  const cli = fakeCli({ checkCwl, checkSpecification: reportOn, environment: { PATH: "/bin" } });
  const code = await runCli(["validate", ...args], cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

const GRAPH = ["STEP     JOBS  AFTER", "each     ?     -", "inner    ?     each", "  first  1     -"];

describe("a document", () => {
  test("is drawn", async () => {
    expect(await validate("main.cwl")).toEqual({
      code: 0,
      printed: [...GRAPH, "main.cwl is valid."],
      errors: [],
    });
  });

  test("with inputs shows the commands of its first jobs, and starts none", async () => {
    const { code, printed } = await validate("main.cwl", "job.yml");
    expect([code, printed]).toEqual([
      0,
      [
        ...GRAPH,
        "FIRST JOBS  COMMAND",
        expect.stringMatching(/^each +wc -l .*a\.txt/),
        expect.stringMatching(/^each +wc -l .*b\.txt/),
        "main.cwl is valid.",
      ],
    ]);
  });

  test.each([
    ["wrong.cwl", [], "wrong.cwl, line 14, column 30: "],
    ["uses-wrong.cwl", [], "tools/wrong.cwl, line 7, column 10: "],
    ["main.cwl", ["absent.yml"], "absent.yml, line 1, column 51: The input `files`: "],
    ["main.cwl", ["less.yml"], "`files`"],
    ["main.cwl", ["none.yml"], "none.yml cannot be read"],
    ["throws.cwl", ["one.yml"], "inputs.flag.no.such"],
    ["packed.cwl#two", [], "packed.cwl has no process `two` (it has: one)."],
  ])("%s with %j is refused", async (document, job, sentence) => {
    const { code, errors } = await validate(document, ...job);
    expect([code, errors]).toEqual([
      1,
      [expect.stringContaining(sentence), `${document} is not valid: 1 error.`],
    ]);
  });

  test("that is valid and cannot be run is not said to be invalid", async () => {
    const { code, errors } = await validate("packed.cwl#one");
    expect([code, errors]).toEqual([
      1,
      [expect.stringContaining("Unsupported: Operation"), "packed.cwl#one cannot be run: 1 error."],
    ]);
    const { printed } = await validate("packed.cwl#one", "--json");
    expect(JSON.parse(printed[0]!)).toMatchObject({ valid: false, errors: [{ code: "unsupported" }] });
  });

  test("without a main process is checked in all its parts", async () => {
    const part = (id: string, type: string) =>
      `{id: ${id}, class: CommandLineTool, baseCommand: a, inputs: {a: ${type}}, outputs: {}}`;
    const packed = (type: string) =>
      `cwlVersion: v1.2\n$graph:\n- ${part("one", "int")}\n- ${part("two", type)}\n`;
    await writeFile("no-main.cwl", packed("int"));
    await writeFile("no-main-wrong.cwl", packed("Flie"));
    const { code, errors } = await validate("no-main.cwl");
    expect([code, errors]).toEqual([0, [expect.stringContaining("Name the one to run: no-main.cwl#one.")]]);
    expect((await validate("no-main-wrong.cwl")).errors).toContainEqual(
      expect.stringContaining("no-main-wrong.cwl, line 4, column"),
    );
  });

  test("in JSON", async () => {
    const { printed } = await validate("uses-wrong.cwl", "--json");
    expect(JSON.parse(printed[0]!)).toMatchObject({
      valid: false,
      errors: [{ code: "start", file: "tools/wrong.cwl", line: 7, column: 10 }],
    });
    expect(JSON.parse((await validate("main.cwl", "job.yml", "--json")).printed[0]!)).toMatchObject({
      valid: true,
      graph: { nodes: [{ id: "each" }, { id: "inner" }, { id: "inner/first", parent: "inner", jobs: 1 }] },
      first_jobs: [{ name: "each" }, { name: "each" }],
    });
  });
});

test.each([
  ["container.cwl", "container.cwl requires a container of the image any:1"],
  ["uses-container.cwl", 'Step "each" requires a container of the image any:1'],
  ["reana-container.yaml", 'Step "each" requires a container of the image any:1'],
])("%s, which requires an image, is warned of on a machine without containers", async (file, sentence) => {
  vi.stubEnv("PATH", folder);
  const { code, errors } = await validate(file);
  expect([code, errors.join("\n")]).toEqual([0, expect.stringContaining(sentence)]);
  expect(errors.join("\n")).toContain(
    "This machine runs no containers: Neither podman nor docker nor apptainer is installed.",
  );
});

describe("a specification", () => {
  test("is checked with the documents in the folder", async () => {
    const { code, printed } = await validate(path.join(folder, "reana.yaml"));
    expect([code, printed.slice(0, -1)]).toEqual([0, GRAPH]);
  });

  test.each([
    ["reana-wrong.yaml", "Error: tools/wrong.cwl, line 7, column 10: "],
    ["reana-absent.yaml", "There is no file none.cwl."],
  ])("%s is refused", async (file, sentence) => {
    const { code, errors } = await validate(file);
    expect([code, errors.join("\n")]).toEqual([1, expect.stringContaining(sentence)]);
  });

  test("that reads from the web is checked in part, and nothing is fetched", async () => {
    const { code, errors } = await validate("reana-remote.yaml");
    expect([code, errors.join("\n")]).toEqual([0, expect.stringContaining("checked only in part")]);
    expect(errors.join("\n")).not.toContain("secret");
  });

  test("takes no inputs and no process", async () => {
    expect((await validate("reana.yaml", "job.yml")).code).toBe(2);
    expect((await validate("reana.yaml#one")).errors).toEqual(["There is no file reana.yaml#one."]);
  });
});
