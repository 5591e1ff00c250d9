import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { reportOn } from "#app/check-specification";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";

const before = process.cwd();
beforeEach(() => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-validate-"));
  process.chdir(folder);
  return () => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  };
});

const STEP = "name: plot, environment: 'python:3.11'";
const withSteps = (...steps: string[]): string =>
  `inputs: {}\nworkflow: {type: serial, specification: {steps: [${steps.join(", ")}]}}\n`;

async function validate(yaml: string, ...options: string[]) {
  await writeFile("reana.yaml", yaml);
  const cli = fakeCli({
    environment: { PATH: "/bin" },
    checkSpecification: async (...given) => reportOn(...given),
  });
  const code = await runCli(["validate", ...options], cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

test("a repeated key is a warning with the place, and the last value counts", async () => {
  const twice = `${withSteps(`{${STEP}, commands: ["echo $n"]}`)}inputs: {parameters: {n: 1}}\n`;
  const { code, errors } = await validate(twice);
  const warning = 'reana.yaml, line 3, column 1: The key "inputs" is given twice: the last one counts.';
  expect([code, errors[0]]).toEqual([0, `Warning: ${warning}`]);
  expect(JSON.parse((await validate(twice, "--json")).printed[0]!)).toMatchObject({
    warnings: [{ code: "yaml", file: "reana.yaml", line: 3, column: 1 }],
  });
});

describe("problems that every start refuses are errors", () => {
  test.each([
    [
      "echo $(date)",
      'Error: reana.yaml, line 2, column 102: Command 1 of step 1 ("plot") holds an invalid placeholder at line 1, column 6: a "$" must begin $name or ' +
        "${name}. To pass a literal $ to the shell, write $$.",
    ],
    [
      "echo $i",
      'Error: reana.yaml, line 2, column 102: Command 1 of step 1 ("plot") uses the parameter "i", which is not defined. Define it under ' +
        "inputs.parameters, or write $$i if the shell is to expand it.",
    ],
  ])("%s", async (command, sentence) => {
    const { code, printed, errors } = await validate(withSteps(`{${STEP}, commands: ["${command}"]}`));
    expect([code, ...errors.slice(-2)]).toEqual([
      1,
      sentence,
      expect.stringMatching(/^reana\.yaml is not valid: 1 error(, 1 warning)?\.$/),
    ]);
    expect(printed.join("\n")).not.toContain("is valid");
  });

  test("a user below the minimum, said once", async () => {
    const { code, errors } = await validate(withSteps(`{${STEP}, kubernetes_uid: 50, commands: ["true"]}`));
    expect([code, errors]).toEqual([
      1,
      [
        'Error: reana.yaml, line 2, column 91: The "kubernetes_uid" requested (50) is below the cluster-configured minimum (100).',
        "reana.yaml is not valid: 1 error.",
      ],
    ]);
  });

  test("in JSON", async () => {
    const { code, printed } = await validate(
      withSteps(`{${STEP}, commands: ["echo $i", "bash x"]}`),
      "--json",
    );
    expect([code, JSON.parse(printed[0]!)]).toMatchObject([
      1,
      {
        valid: false,
        errors: [{ code: "start", path: "workflow.specification.steps.0.commands.0", line: 2, column: 102 }],
        steps: [
          { name: "plot", image: "python:3.11", programs: [{ program: "bash", availability: "found" }] },
        ],
      },
    ]);
  });
});

test("the steps are listed with programs and the presence of each on the machine", async () => {
  const yaml = withSteps(
    `{${STEP}, commands: ["bash a.sh", "papermill x"]}`,
    `{environment: "root:6", commands: ["echo hello"]}`,
  );
  expect(await validate(yaml)).toEqual({
    code: 0,
    printed: [
      "STEP  IMAGE        PROGRAM    ON THIS MACHINE",
      "plot  python:3.11  bash       found",
      "                   papermill  not on PATH",
      "2     root:6       -          -",
      "reana.yaml is valid.",
    ],
    errors: [],
  });
});

test.each([
  [
    `{name: plot, commands: ["bash"]}`,
    `Warning: reana.yaml, line 2, column 50: step 1 ("plot"): 'environment' is a required property`,
  ],
  [
    `{commands: ["bash"]}`,
    "Warning: reana.yaml, line 2, column 50: step 1: 'environment' is a required property",
  ],
  [
    `{${STEP}, commands: ["bash"], unpacked_img: x}`,
    `Warning: reana.yaml, line 2, column 111: step 1 ("plot"), unpacked_img: 'x' is not of type 'boolean'`,
  ],
])("a warning names the step: %s", async (step, warning) => {
  const { code, errors } = await validate(withSteps(step));
  expect([code, errors]).toEqual([0, [warning]]);
});

test("what no workflow can be created from is refused with its line", async () => {
  expect(await validate("workflow:\n  type: serial\n  spec: {steps: [{commands: []}]}\n")).toEqual({
    code: 1,
    printed: [],
    errors: [
      "The specification is malformed at workflow.specification.steps.0.commands (reana.yaml, line 3, column 19): " +
        "[] is too short",
    ],
  });
});

test("an empty file", async () => {
  expect(await validate("# nothing yet\n")).toEqual({
    code: 1,
    printed: [],
    errors: ["reana.yaml is empty. A specification needs at least workflow.type and the steps."],
  });
});

test("no file, and how to name one", async () => {
  const cli = fakeCli();
  expect(await runCli(["validate"], cli)).toBe(1);
  expect(cli.errors).toEqual([
    "There is no reana.yaml in this folder. Name the file: reprise validate FILE.",
  ]);
});
