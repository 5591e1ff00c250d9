import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { cwlFolder } from "../support/cwl-runner-fixture.ts";
import { checkCwl } from "#app/cwl/check-cwl";
import { runCwlCall } from "#app/cwl/run-cwl-call";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { CWLTOOL_OPTIONS } from "#cli/run/cwl/cwltool-options";
import { readConfig } from "#config/read";

/** The options of cwltool in `reprise cwl-runner`. */
const { folder, inFolder } = cwlFolder();

const WORKFLOW = `
cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}}
inputs: {words: "string[]", code: {type: int, default: 0}}
outputs:
  said: {type: "File[]", outputSource: say/said}
steps:
  say:
    scatter: word
    in: {word: words}
    out: [said]
    run:
      class: CommandLineTool
      baseCommand: [sh, -c, 'echo "heard $0" >&2; echo "$0"']
      inputs: {word: {type: string, inputBinding: {}}}
      stdout: said.txt
      outputs: {said: stdout}
  end:
    in: {code: code, after: say/said}
    out: []
    run:
      class: CommandLineTool
      baseCommand: [sh, -c, 'echo "the reason" >&2; exit $0']
      inputs: {code: {type: int, inputBinding: {}}, after: "File[]"}
      outputs: {}
`;

/** Makes a list of files and a folder, and fails before its third output. */
const PARTIAL = `${WORKFLOW.replace("outputs: {}", "outputs: {never: {type: stdout}}")
  .replace("out: []", "out: [never]")
  .replace("after: say/said", "after: say/said, folder: make/made")
  .replace('after: "File[]"', 'after: "File[]", folder: Directory')
  .replace(
    "outputs:",
    "outputs:\n  never: {type: File, outputSource: end/never}\n  folder: {type: Directory, outputSource: make/made}",
  )}
  make:
    in: {}
    out: [made]
    run:
      class: CommandLineTool
      baseCommand: [sh, -c, "mkdir -p made/a && echo b > made/a/b"]
      inputs: {}
      outputs: {made: {type: Directory, outputBinding: {glob: made}}}
`;

const PRINTS_VARIABLES = `
cwlVersion: v1.2
class: CommandLineTool
baseCommand: [sh, -c, 'echo "$LICENCE $OTHER $HOME"']
inputs: {}
stdout: variables.txt
outputs: {made: stdout}
`;

const BOXED = `
cwlVersion: v1.2
class: CommandLineTool
requirements: {DockerRequirement: {dockerPull: a}}
baseCommand: "true"
inputs: {}
outputs: {}
`;

beforeAll(async () => {
  await writeFile(inFolder("main.cwl"), WORKFLOW);
  await writeFile(inFolder("boxed.cwl"), BOXED);
  await writeFile(inFolder("variables.cwl"), PRINTS_VARIABLES);
  await writeFile(inFolder("partial.cwl"), PARTIAL);
});

let count = 0;

async function cwlRunner(...words: readonly string[]) {
  const config = readConfig({ HOME: folder, REPRISE_DATA: inFolder("data") });
  const cli = fakeCli({
    runCwl: (_options, call) => runCwlCall(config, call),
    checkCwl,
    environment: { LICENCE: "key-1", OTHER: "2", HOME: "/nowhere" },
  });
  const outdir = inFolder(`out-${(count += 1)}`);
  const code = await runCli(["cwl-runner", `--outdir=${outdir}`, ...words], cli);
  return { code, outdir, printed: cli.printed.join("\n"), errors: cli.errors };
}

const withoutTimes = (lines: readonly string[]) =>
  lines.map((line) => line.replace(/after .* s\b/, "after …"));

test("each start and end of a job is printed, and a failure with the last lines", async () => {
  const { code, errors } = await cwlRunner(inFolder("main.cwl"), "--words=one", "--code=3");
  expect(code).toBe(1);
  expect(withoutTimes(errors)).toEqual([
    `[job say/0] started: sh -c 'echo "heard $0" >&2; echo "$0"' one`,
    "[job say/0] finished after …",
    `[job end] started: sh -c 'echo "the reason" >&2; exit $0' 3`,
    "[job end] failed after … (exit code 3)",
    'the reason\nStep "end" failed: its command exited with code 3.',
  ]);
});

test("--verbose adds the output of each job, and --timestamps the time of each line", async () => {
  const { code, errors } = await cwlRunner("--verbose", "--timestamps", inFolder("main.cwl"), "--words=one");
  expect(code).toBe(0);
  expect(errors).toContainEqual(
    expect.stringMatching(/^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] say\/0 \| heard one$/),
  );
  expect(errors.filter((line) => !/^\[\d{4}-/.test(line))).toEqual([]);
});

test("an option that has the name of an input is warned of", async () => {
  await writeFile(inFolder("debug.cwl"), PRINTS_VARIABLES.replace("inputs: {}", "inputs: {debug: boolean?}"));
  expect((await cwlRunner(inFolder("debug.cwl"), "--debug")).errors[0]).toBe(
    "Warning: `--debug` was taken as an option of cwl-runner. The document has an input of this name: " +
      "give its value after `--`, or in the file with the inputs.",
  );
  for (const words of [[], ["--", "--debug"]])
    expect((await cwlRunner("--quiet", inFolder("debug.cwl"), ...words)).errors).toEqual([]);
});

test("options of cwltool that change nothing are accepted, and the help gives each a reason", async () => {
  const words = CWLTOOL_OPTIONS.flatMap(({ flags }) =>
    flags.split(" ").map((word) => (word.startsWith("<") ? "5" : word)),
  );
  const { code, printed } = await cwlRunner("--quiet", ...words, inFolder("main.cwl"), "--words=one");
  expect(code).toBe(0);
  expect(JSON.parse(printed)).toMatchObject({ said: [{ basename: "said.txt", size: 4 }] });
  const { printed: help } = await cwlRunner("--help");
  for (const { flags } of CWLTOOL_OPTIONS) expect(help).toContain(flags);
});

test("--no-compute-checksum leaves checksums out", async () => {
  const { printed } = await cwlRunner(
    "--quiet",
    "--no-compute-checksum",
    inFolder("main.cwl"),
    "--words=one",
  );
  const { said } = JSON.parse(printed) as { said: readonly [object] };
  expect(Object.keys(said[0])).not.toContain("checksum");
  expect(said[0]).toMatchObject({ basename: "said.txt", size: 4 });
});

test("--no-container overrides --podman", async () => {
  const { code, errors } = await cwlRunner("--podman", "--no-container", inFolder("boxed.cwl"));
  expect([code, errors.join()]).toEqual([33, expect.stringContaining("requires a container")]);
});

test("a failed run prints and keeps the present outputs", async () => {
  const { code, outdir, printed } = await cwlRunner(inFolder("partial.cwl"), "--words=one", "--code=3");
  expect(code).toBe(1);
  expect(JSON.parse(printed)).toMatchObject({
    said: [{ basename: "said.txt" }],
    folder: { listing: [{}] },
    never: { basename: expect.stringContaining("never") as string, size: 0 },
  });
  expect(readFileSync(path.join(outdir, "said.txt"), "utf8")).toBe("one\n");
  expect(readFileSync(path.join(outdir, "made/a/b"), "utf8")).toBe("b\n");
});

describe("variables of the command reach the jobs", () => {
  test.each<[string, readonly string[], string, string]>([
    ["by their names", ["--preserve-environment", "LICENCE"], "key-1", ""],
    ["all of them", ["--preserve-entire-environment"], "key-1", "2"],
    ["or not", [], "", ""],
  ])("%s", async (_, options, licence, other) => {
    const { code, outdir } = await cwlRunner(...options, inFolder("variables.cwl"));
    expect(code).toBe(0);
    const printed = readFileSync(path.join(outdir, "variables.txt"), "utf8");
    expect(printed.startsWith(`${licence} ${other} `)).toBe(true);
    expect(printed).not.toContain("/nowhere");
  });

  test("unless an option is unset", async () => {
    const { code, errors } = await cwlRunner("--preserve-environment=NONE", inFolder("variables.cwl"));
    expect([code, errors.join()]).toEqual([
      2,
      expect.stringContaining("`NONE` of --preserve-environment is not set"),
    ]);
  });
});

test("--target runs only what an output needs", async () => {
  const { code, printed } = await cwlRunner("--target=said", inFolder("main.cwl"), "--words=one", "--code=3");
  expect([code, Object.keys(JSON.parse(printed) as object)]).toEqual([0, ["said"]]);
});

test("--leave-tmpdir keeps the temporary folder and names it", async () => {
  const prefix = `--tmpdir-prefix=${inFolder("kept")}/`;
  const { errors } = await cwlRunner("--leave-tmpdir", prefix, inFolder("main.cwl"), "--words=one");
  const [kept] = readdirSync(inFolder("kept"));
  expect(errors.at(-1)).toBe(`The temporary files are in ${inFolder(`kept/${kept}`)}.`);
});

test("--validate and --print-dot start nothing", async () => {
  const checked = await cwlRunner("--validate", inFolder("main.cwl"));
  expect([checked.code, checked.printed]).toEqual([0, expect.stringContaining("main.cwl is valid.")]);
  const { code, printed } = await cwlRunner("--print-dot", inFolder("main.cwl"));
  expect([code, printed.split("\n")]).toEqual([
    0,
    ["digraph workflow {", '  "say" [label="say"];', '  "end" [label="end"];', '  "say" -> "end";', "}"],
  ]);
});
