import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { cwlFolder } from "../support/cwl-runner-fixture.ts";

/** `cwltool:overrides` in the file with the inputs, and in a file of its own. */
const { inFolder, cwlRunner } = cwlFolder();

const TOOL = `cwlVersion: v1.2
class: CommandLineTool
requirements: {EnvVarRequirement: {envDef: {GREETING: tool}}}
baseCommand: [sh, -c, 'echo "$GREETING" $0']
arguments: [$(runtime.cores)]
inputs: []
stdout: made.txt
outputs: {made: stdout}
`;
const WORKFLOW = `cwlVersion: v1.2
class: Workflow
inputs: []
outputs: {made: {type: File, outputSource: say/made}}
steps: {say: {run: tool.cwl, in: [], out: [made]}}
`;
const greeting = (target: string, word: string) =>
  `  "${target}": {requirements: {EnvVarRequirement: {envDef: {GREETING: ${word}}}}}\n`;

beforeAll(async () => {
  await writeFile(inFolder("tool.cwl"), TOOL);
  await writeFile(inFolder("main.cwl"), WORKFLOW);
  const indented = (text: string) => text.split("\n").slice(1, -1).join("\n  ");
  const packed = [`- id: tool\n  ${indented(TOOL)}`, `- id: main\n  ${indented(WORKFLOW)}`].join("\n");
  await writeFile(
    inFolder("packed.cwl"),
    `cwlVersion: v1.2\n$graph:\n${packed.replace("run: tool.cwl", 'run: "#tool"')}\n`,
  );
});

async function said(document: string, job: string, others: readonly string[] = []) {
  await writeFile(inFolder("job.yml"), job);
  const words = ["--quiet", ...others, inFolder(document), inFolder("job.yml")];
  const { code, outdir, errors } = await cwlRunner(words);
  expect([code, errors]).toEqual([0, []]);
  return readFileSync(path.join(outdir, "made.txt"), "utf8").trim();
}

test.each([
  ["the document itself", "tool.cwl", "tool.cwl", "other 1"],
  ["the tool of a step", "main.cwl", "tool.cwl", "other 1"],
  ["a part of a packed document", "packed.cwl", "#tool", "other 1"],
  ["a step, whose tool says it itself", "main.cwl", "main.cwl#say", "tool 1"],
])("override %s", async (_, document, target, words) => {
  expect(await said(document, `cwltool:overrides:\n${greeting(target, "other")}`)).toBe(words);
});

test("a step gets the requirements that the tool lacks", async () => {
  const cores = '  "#say": [{class: ResourceRequirement, coresMin: 2}]\n';
  expect(await said("main.cwl", `cwltool:overrides:\n${cores}`)).toBe("tool 2");
});

test("a file of its own comes before the file with the inputs", async () => {
  const target = "tool.cwl";
  await writeFile(
    inFolder("overrides.yml"),
    `cwltool:overrides:\n- {overrideTarget: ${target}, requirements: {EnvVarRequirement: {envDef: {GREETING: file}}}}\n`,
  );
  const job = `cwltool:overrides:\n${greeting(target, "job")}`;
  expect(await said("main.cwl", job, [`--overrides=${inFolder("overrides.yml")}`])).toBe("file 1");
});

test("a target that is not there is warned of, and a wrong requirement is refused with its line", async () => {
  await writeFile(inFolder("job.yml"), `cwltool:overrides:\n${greeting("none.cwl", "a")}`);
  const { code, errors } = await cwlRunner([inFolder("main.cwl"), inFolder("job.yml")]);
  expect([code, errors[0]]).toEqual([
    0,
    expect.stringMatching(
      /job\.yml, line 2, column \d+: The override of `none\.cwl` names no process or step/,
    ),
  ]);
  await writeFile(
    inFolder("job.yml"),
    "cwltool:overrides:\n  tool.cwl: {requirements: {EnvRequirement: {}}}\n",
  );
  const wrong = await cwlRunner([inFolder("main.cwl"), inFolder("job.yml")]);
  expect([wrong.code, wrong.errors.join()]).toEqual([
    33,
    expect.stringMatching(/job\.yml, line 2, column \d+: .*`EnvRequirement` is not known/),
  ]);
});
