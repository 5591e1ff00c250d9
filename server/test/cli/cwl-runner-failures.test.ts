import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { cwlFolder } from "../support/cwl-runner-fixture.ts";

/** The outcome of `reprise cwl-runner` for a failed run. */
const { inFolder, cwlRunner } = cwlFolder();

const TOOL = `
class: CommandLineTool
baseCommand: [sh, -c, 'echo half; mkdir d; touch d/a; exit 3']
inputs: []
stdout: half.txt
outputs:
  half: stdout
  folder: {type: Directory, outputBinding: {glob: d}}
  never: {type: File, outputBinding: {glob: never.txt}}
`;
const STEPS = `
cwlVersion: v1.2
class: Workflow
inputs: []
outputs:
  half: {type: File, outputSource: fails/half}
  other: {type: File, outputSource: second/made}
  after: {type: File, outputSource: after/made}
steps:
  fails:
    in: []
    out: [half, folder, never]
    run:${TOOL.replaceAll("\n", "\n      ")}
  first: &copy
    in: []
    out: [made]
    run:
      class: CommandLineTool
      baseCommand: [sh, -c, 'sleep 0.3; echo first']
      inputs: {text: File?}
      stdout: first.txt
      outputs: {made: stdout}
  second: {<<: *copy, in: {text: first/made}}
  after: {<<: *copy, in: {text: fails/half}}
`;

beforeAll(async () => {
  await writeFile(inFolder("tool.cwl"), `cwlVersion: v1.2${TOOL}`);
  await writeFile(
    inFolder("own.cwl"),
    `cwlVersion: v1.2${TOOL.replace("exit 3", 'echo "{\\"half\\": null, \\"extra\\": 1}" > cwl.output.json; exit 3')}`,
  );
  await writeFile(inFolder("steps.cwl"), STEPS);
});

test("a failed tool returns the outputs left by the tool, and null for missing outputs", async () => {
  const { code, outdir, printed, errors } = await cwlRunner(["--quiet", inFolder("tool.cwl")]);
  expect([code, errors.join()]).toEqual([1, expect.stringContaining("its command exited with code 3")]);
  expect(JSON.parse(printed)).toMatchObject({
    half: { basename: "half.txt", size: 5 },
    folder: { listing: [{ basename: "a" }] },
    never: null,
  });
  expect(readFileSync(path.join(outdir, "half.txt"), "utf8")).toBe("half\n");
});

describe("a failing step", () => {
  test("ends the run, and its outputs are returned", async () => {
    const { code, printed } = await cwlRunner(["--quiet", inFolder("steps.cwl")]);
    expect([code, JSON.parse(printed)]).toMatchObject([
      1,
      { half: { basename: "half.txt" }, other: null, after: null },
    ]);
  });

  test("lets independent steps run with --on-error continue", async () => {
    const words = ["--on-error=continue", inFolder("steps.cwl")];
    const { code, printed, errors } = await cwlRunner(words);
    expect([code, JSON.parse(printed)]).toMatchObject([
      1,
      { half: null, other: { basename: "first.txt" }, after: null },
    ]);
    expect(errors.join("\n")).toMatch(/Step "fails" failed: its command exited with code 3\.$/);
    expect(errors.join("\n")).not.toContain("[job after]");
  });

  test("takes no other word for --on-error", async () => {
    const { code, errors } = await cwlRunner(["--on-error=go", inFolder("steps.cwl")]);
    expect([code, errors.join()]).toEqual([2, "--on-error is `go`; it must be one of: stop, continue."]);
  });
});
