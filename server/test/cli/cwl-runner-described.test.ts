import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { cwlFolder } from "../support/cwl-runner-fixture.ts";

/** `reprise cwl-runner` describes the inputs of a document, and takes the words of `CWLTOOL_OPTIONS`. */
const { inFolder, cwlRunner } = cwlFolder();

beforeAll(async () => {
  await writeFile(
    inFolder("main.cwl"),
    `cwlVersion: v1.2
class: CommandLineTool
doc: [Counts things., "Quickly."]
hints: {DockerRequirement: {dockerPull: any:1}}
requirements: {InlineJavascriptRequirement: {}}
baseCommand: [sh, -c, 'echo "$LOUD out"; echo err >&2']
inputs:
  text: {type: File, doc: The text.}
  more: {type: "Directory[]", label: Some folders}
  n: {type: int, default: 3, doc: How many}
  f: float?
  yes: {type: boolean}
  e: {type: {type: enum, symbols: [x, y]}}
  r: {type: {type: record, fields: {left: File, right: int?}}}
  u: [string, int, "null"]
  q: {type: string, default: "a: b"}
outputs: []
`,
  );
  await mkdir(inFolder("a/directory/path"), { recursive: true });
  await mkdir(inFolder("a/file"), { recursive: true });
  await writeFile(inFolder("a/file/path"), "");
  await writeFile(inFolder("hi.cwl"), HI);
});

const HI = `cwlVersion: v1.2
class: CommandLineTool
baseCommand: [sh, -c, 'echo out; echo err >&2']
inputs: []
outputs: []
`;

test("its help names types, documentation and defaults", async () => {
  const document = inFolder("main.cwl");
  for (const words of [
    [document, "--help"],
    ["--tool-help", document],
    [document, "-h"],
  ]) {
    const { code, printed } = await cwlRunner(words);
    expect([code, printed.split("\n")]).toEqual([
      0,
      [
        `Usage: reprise cwl-runner ${document} [inputs.yml] [--name value …]`,
        "",
        "Counts things.",
        "Quickly.",
        "",
        "Inputs:",
        "  --text  File                   The text. (required)",
        "  --more  Directory[]            Some folders (required)",
        "  --n     int                    How many (default: 3)",
        "  --f     float?                 (optional)",
        "  --yes   boolean                (required)",
        "  --e     enum (x, y)            (required)",
        "  --r     record {left, right}   (required)",
        "  --u     string or int or null  (optional)",
        '  --q     string                 (default: "a: b")',
      ],
    ]);
  }
});

test("without a document, the help is that of the command", async () => {
  const { code, printed } = await cwlRunner(["--help"]);
  expect([code, printed]).toEqual([
    0,
    expect.stringMatching(/^Usage: reprise cwl-runner .*--make-template/s),
  ]);
});

test("its template is a file with inputs", async () => {
  const { code, printed } = await cwlRunner(["--make-template", inFolder("main.cwl")]);
  expect([code, printed.split("\n")]).toEqual([
    0,
    [
      "text: {class: File, path: a/file/path}  # type File: The text.",
      "more: [{class: Directory, path: a/directory/path}]  # type Directory[]: Some folders",
      '"n": 3  # default value of type int: How many',
      "f: 0.1  # type float? (optional)",
      '"yes": false  # type boolean',
      "e: x  # type enum (x, y)",
      "r: {left: {class: File, path: a/file/path}, right: 0}  # type record {left, right}",
      "u: a_string  # type string or int or null (optional)",
      'q: "a: b"  # default value of type string',
    ],
  ]);
  await writeFile(inFolder("job.yml"), printed);
  expect((await cwlRunner(["--quiet", inFolder("main.cwl"), inFolder("job.yml")])).code).toBe(0);
});

test("a document that cannot be read is refused", async () => {
  const { code, errors } = await cwlRunner([inFolder("none.cwl"), "--help"]);
  expect([code, errors.join()]).toEqual([1, expect.stringContaining("none.cwl cannot be read")]);
});

describe("options of cwltool", () => {
  test("are also read from a variable, and given ones count", async () => {
    const environment = { CWLTOOL_OPTIONS: `--quiet --log-dir '${inFolder("the logs")}' --js-console` };
    const { code, errors } = await cwlRunner([inFolder("hi.cwl")], { environment });
    expect([code, errors]).toEqual([0, []]);
    expect(readdirSync(inFolder("the logs"))).toEqual(["hi.cwl.log"]);
    const log = readFileSync(inFolder("the logs/hi.cwl.log"), "utf8");
    expect(log.split("\n").toSorted()).toEqual(["", "err", "out"]);
  });

  test("--singularity is refused only if a command names an image", async () => {
    expect((await cwlRunner(["--singularity", "--quiet", inFolder("hi.cwl")])).code).toBe(0);
    const { code, errors } = await cwlRunner(["--singularity", inFolder("main.cwl")]);
    expect([code, errors.join()]).toEqual([33, expect.stringContaining("names an image")]);
    expect(errors.join()).toContain("Use --podman, or --no-container");
  });
});
