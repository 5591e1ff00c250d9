import { existsSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { loadJavaScript } from "#plumbing/javascript/evaluate";
import { engineLog, runEvents } from "#store/events/run-events";
import { ENDED, REMOVED_FILES, UNREAD_FILES } from "#workflow/run/event-kinds";
import { type Files, foundJobsFixture } from "../../support/scenarios/found-jobs-fixture.ts";

/**
 * Files without a later reader, in a CWL run that keeps its outputs only. The server removes such files
 * during the run.
 */
const WATCHED = "cwl/1/count/0/out/made.txt";
/** Makes a job wait until a file of the workspace is gone: the test ends only if the file is removed during the run. */
const waitFor = (file: string) => `until [ ! -e "\\$\\{PWD%/cwl/*}/${file}" ]; do sleep 0.01; done`;

const evaluate = await loadJavaScript();
const fixture = await foundJobsFixture({
  engine: createCwlEngine(),
  evaluate,
  file: "main.cwl",
  files: filesOf,
  parameters: { files: ["a", "b"].map((name) => ({ class: "File", path: `data/${name}.txt` })) },
});
const { ran, restart, fileOf, contentOf } = fixture;
const { db } = fixture.api.operations;
afterAll(() => fixture.close());

const KEEP = { operational_options: { keep: "outputs" } };
const COUNTS = ["cwl/1/count/0/out/made.txt", "cwl/1/count/1/out/made.txt"];
/** Counts in a scatter, their sum, and a report of the sum. `passed` is the sum itself. */
function filesOf(ranFile: string): Files {
  return {
    "main.cwl": workflow("report: {type: File, outputSource: report/made}"),
    "count.cwl": tool("count", "{file: File}", "$(inputs.file.path)", 'wc -c < "$1"'),
    "sum.cwl": tool("sum", '{files: "File[]"}', "$(inputs.files[0].path)", 'cat "$1"'),
    "report.cwl": tool("report", "{sum: File}", "$(inputs.sum.path)", `${waitFor(WATCHED)}; cat "$1"`),
    "pass.cwl":
      "{cwlVersion: v1.2, class: ExpressionTool, requirements: {InlineJavascriptRequirement: {}}, " +
      'inputs: {file: File}, outputs: {file: File}, expression: "$({file: inputs.file})"}\n',
    "data/a.txt": "a\n",
    "data/b.txt": "bb\n",
  };

  function tool(name: string, inputs: string, argument: string, script: string): string {
    return `
cwlVersion: v1.2
class: CommandLineTool
inputs: ${inputs}
baseCommand: [sh, -c]
arguments: ['echo ${name} >> ${ranFile}; ${script}', sh, "${argument}"]
stdout: made.txt
outputs: {made: stdout}
`;
  }
}

function workflow(outputs: string): string {
  return `
cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}, InlineJavascriptRequirement: {}}
inputs: {files: "File[]"}
outputs:
  ${outputs}
steps:
  count: {run: count.cwl, scatter: file, in: {file: files}, out: [made]}
  sum: {run: sum.cwl, in: {files: count/made}, out: [made]}
  pass: {run: pass.cwl, in: {file: sum/made}, out: [file]}
  report: {run: report.cwl, in: {sum: pass/file}, out: [made]}
`;
}

const removedIn = async (id: string) =>
  (await runEvents(db, id)).flatMap(({ kind, body }) =>
    kind === UNREAD_FILES ? [(body as { paths: string[] }).paths] : [],
  );

test("are removed after the last step that reads the files, and the events record the removal", async () => {
  const { id } = await ran(undefined, undefined, "finished", { body: KEEP });
  expect(await removedIn(id)).toEqual([COUNTS, ["cwl/1/sum/out/made.txt"]]);
  const kinds = (await runEvents(db, id)).map(({ kind }) => kind);
  expect(kinds.indexOf(UNREAD_FILES)).toBeLessThan(kinds.indexOf(ENDED));
  expect(await engineLog(db, id)).toContain(
    "Removing 2 intermediate files, because no later step reads them and the run keeps its outputs only.",
  );
  expect(await contentOf(id, "outputs/made.txt")).toBe("2\n");
  for (const name of COUNTS) expect(existsSync(await fileOf(id, name))).toBe(false);
});

test("stay if a value still names them: an output of the run, or what an expression passes on", async () => {
  const content = { ...fixture.files, "main.cwl": workflow("passed: {type: File, outputSource: pass/file}") };
  const { id } = await ran(undefined, content, "finished", { body: KEEP });
  expect(await removedIn(id)).toEqual([COUNTS, ["cwl/1/report/out/made.txt"]]);
  expect(await contentOf(id, "outputs/made.txt")).toBe("2\n");
});

test("stay in a run that keeps all files", async () => {
  const content = {
    ...fixture.files,
    "report.cwl": fixture.files["report.cwl"]!.replace(/until.*?done;/, ""),
  };
  const { id } = await ran(undefined, content);
  expect(await removedIn(id)).toEqual([]);
  expect(existsSync(await fileOf(id, WATCHED))).toBe(true);
});

test("are made again by the restart of a run that failed, which says why", async () => {
  const bad = fixture.files["report.cwl"]!.replace("; cat ", "; false ");
  const content = { ...fixture.files, "report.cwl": bad };
  const { id } = await ran(undefined, content, "failed", { body: KEEP });
  expect(existsSync(await fileOf(id, WATCHED))).toBe(false);
  expect(await contentOf(id, "cwl/1/sum/out/made.txt")).toBe("2\n");
  const kinds = (await runEvents(db, id)).map(({ kind }) => kind);
  expect(kinds).not.toContain(REMOVED_FILES);
  await fixture.put(id, { "report.cwl": bad.replace("; false ", "; cat ") });
  const again = await restart(id, KEEP);
  expect(again.steps).toEqual(["count", "count", "report"]);
  expect(again.plan[0]).toMatchObject({
    kind: "removed",
    reason: expect.stringMatching(/which kept its outputs only \(keep: outputs\)\.$/),
  });
  expect(await contentOf(again.id, "outputs/made.txt")).toBe("2\n");
});
