import { afterAll, expect, test } from "vitest";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { evaluatesNothing } from "#engines/engine";
import { jobsOfRun } from "#store/jobs/jobs";
import { foundJobsFixture } from "../../support/scenarios/found-jobs-fixture.ts";

/** CWL on a server as users of REANA know it: uploaded folders, the option TARGET, and failures for a time. */
const fixture = await foundJobsFixture({
  engine: createCwlEngine(),
  evaluate: evaluatesNothing,
  file: "main.cwl",
  files: filesOf,
  parameters: { folder: { class: "Directory", path: "data" } },
  parts: { runSettings: { retries: { most: 1, delayMs: 1, after: [] } } },
});
const { ran, restart, put, contentOf, files } = fixture;
afterAll(() => fixture.close());

function filesOf(ranFile: string): Readonly<Record<string, string>> {
  const noted = (name: string, script: string) =>
    `"echo ${name} >> ${ranFile}; ${script.replaceAll('"', '\\"')}"`;
  return {
    "main.cwl": `
cwlVersion: v1.2
class: Workflow
inputs: {folder: Directory}
outputs:
  names: {type: File, outputSource: list/made}
  copy: {type: Directory, outputSource: copy/made}
steps:
  list: {run: list.cwl, in: {folder: folder}, out: [made]}
  copy: {run: copy.cwl, in: {folder: folder}, out: [made]}
`,
    "list.cwl": `
cwlVersion: v1.2
class: CommandLineTool
baseCommand: [sh, -c]
arguments: [${noted("list", 'cd "$0"; find . -type f | sort')}, $(inputs.folder.path)]
inputs: {folder: Directory}
stdout: names.txt
outputs: {made: stdout}
`,
    "copy.cwl": `
cwlVersion: v1.2
class: CommandLineTool
baseCommand: [sh, -c]
arguments: [${noted("copy", 'cp -R "$0" made')}, $(inputs.folder.path)]
inputs: {folder: Directory}
outputs: {made: {type: Directory, outputBinding: {glob: made}}}
`,
    "data/one.txt": "1\n",
    "data/deep/two.txt": "2\n",
  };
}

test("an uploaded folder is an input, and a file added to the folder concerns its readers", async () => {
  const { id, steps } = await ran();
  expect(steps).toEqual(["copy", "list"]);
  expect(await contentOf(id, "outputs/names.txt")).toBe("./deep/two.txt\n./one.txt\n");
  expect(await contentOf(id, "outputs/made/deep/two.txt")).toBe("2\n");
  const same = await restart(id);
  expect(same.steps).toEqual([]);
  await put(id, { "data/deep/three.txt": "3\n" });
  const more = await restart(id);
  expect(more.steps).toEqual(["copy", "list"]);
  expect(more.plan.map(({ differences }) => differences[0]?.field)).toEqual([
    "inputs.folder",
    "inputs.folder",
  ]);
  expect(await contentOf(id, "outputs/made/deep/three.txt")).toBe("3\n");
});

test.each(["TARGET", "--target"])("%s, given at the start, runs one step", async (option) => {
  const { id, steps } = await ran(undefined, files, "finished", {
    body: { operational_options: { [option]: "list" } },
  });
  expect(steps).toEqual(["list"]);
  expect(await contentOf(id, "outputs/names.txt")).toContain("one.txt");
});

test("a command that fails for a time is tried again, without the files of earlier attempts", async () => {
  const failing = files["copy.cwl"]!.replace(
    "cp -R",
    "test -e ../../tried || { touch ../../tried left; exit 75; }; test ! -e left; cp -R",
  ).replace("outputs:", "temporaryFailCodes: [75]\noutputs:");
  const { id, steps } = await ran(undefined, { ...files, "copy.cwl": failing });
  expect(steps).toEqual(["copy", "copy", "list"]);
  const jobs = await jobsOfRun(fixture.api.operations.db, id);
  const copies = jobs.filter(({ name }) => name === "copy").map(({ status }) => status);
  expect(copies).toEqual(["failed", "finished"]);
});
