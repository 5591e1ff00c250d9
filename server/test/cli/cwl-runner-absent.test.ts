import { writeFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { cwlFolder } from "../support/cwl-runner-fixture.ts";

/** `reprise cwl-runner` names all missing inputs and all missing files before a command starts. */
const { folder, inFolder, cwlRunner } = cwlFolder();

beforeAll(async () => {
  await writeFile(
    inFolder("main.cwl"),
    `cwlVersion: v1.2
class: CommandLineTool
baseCommand: [touch, ${inFolder("ran")}]
inputs:
  reads: File[]
  folder: Directory
  pair: {type: {type: record, fields: {left: File, right: File}}}
  threads: int
  name: string
  mode: {type: string, default: quick}
  extra: {type: File, default: {class: File, location: none-of-default.txt}}
outputs: []
`,
  );
  await writeFile(
    inFolder("job.yml"),
    `reads:
- {class: File, location: here.txt, secondaryFiles: [{class: File, path: none.idx}]}
- class: File
  path: none.txt
folder: {class: Directory, path: here.txt}
pair:
  left: {class: File, path: none.left}
  right: {class: File, contents: abc}
`,
  );
  await writeFile(inFolder("here.txt"), "");
});

const IN_JOB = ["line 2, column 68: The input `reads`: FOLDER/none.idx does not exist."]
  .concat("line 4, column 3: The input `reads`: FOLDER/none.txt does not exist.")
  .concat("line 5, column 28: The input `folder`: FOLDER/here.txt is a file, not a folder.")
  .concat("line 7, column 23: The input `pair`: FOLDER/none.left does not exist.")
  .map((line) => `FOLDER/job.yml, ${line}`);

test("in the file and among the options", async () => {
  const words = [inFolder("main.cwl"), inFolder("job.yml"), "--threads=2", `--extra=${inFolder("none")}`];
  const { code, printed, errors } = await cwlRunner(words);
  expect([code, printed]).toEqual([1, ""]);
  expect(errors.join("\n").replaceAll(folder, "FOLDER").split("\n")).toEqual([
    "The input `name` is missing (its type is string).",
    ...IN_JOB,
    "The input `extra`: FOLDER/none does not exist.",
  ]);
});

test("by reprise validate as well", async () => {
  const { errors } = await cwlRunner(["--validate", inFolder("main.cwl"), inFolder("job.yml")]);
  expect(errors.map((line) => line.replaceAll(folder, "FOLDER"))).toEqual([
    "Error: The input `threads` is missing (its type is int).",
    "Error: The input `name` is missing (its type is string).",
    ...IN_JOB.map((line) => `Error: ${line}`),
    `${inFolder("main.cwl")} is not valid: 6 errors.`.replace(folder, "FOLDER"),
  ]);
});
