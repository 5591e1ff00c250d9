import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { loadJavaScript } from "#plumbing/javascript/evaluate";
import { type Files, foundJobsFixture } from "./found-jobs-fixture.ts";

/** Fixture for restarts of CWL runs, and for job reuse across runs. */
export async function cwlReuseFixture({ reuseAcrossRuns = false } = {}) {
  const evaluate = await loadJavaScript();
  const fixture = await foundJobsFixture({
    engine: createCwlEngine(),
    evaluate,
    file: "main.cwl",
    files: filesOf,
    parameters,
    reuseAcrossRuns,
  });
  return { ...fixture, parameters };
}

/** Three counts, their sum, and a report with a title. */
function filesOf(ranFile: string): Files {
  return {
    "main.cwl": `
cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}, InlineJavascriptRequirement: {}, StepInputExpressionRequirement: {}}
inputs: {files: "File[]", title: string, loud: {type: boolean, default: false}}
outputs:
  report: {type: File, outputSource: report/made}
steps:
  count: {run: count.cwl, scatter: file, in: {file: files}, out: [made]}
  sum: {run: sum.cwl, in: {counts: count/made}, out: [made]}
  shout: {run: count.cwl, when: $(inputs.loud), in: {loud: loud, file: sum/made}, out: [made]}
  report:
    run: report.cwl
    in: {sum: sum/made, title: {source: title, valueFrom: "$(self + '!')"}}
    out: [made]
`,
    "count.cwl": tool("count", "inputs: {file: File}", "$(inputs.file.path)", 'wc -c < "$1"'),
    "sum.cwl": tool(
      "sum",
      'inputs: {counts: {type: "File[]", inputBinding: {position: 9}}}',
      "sum",
      'shift; cat "$@"',
    ),
    "report.cwl": tool(
      "report",
      "inputs: {sum: File, title: string}\nrequirements: {EnvVarRequirement: {envDef: {TITLE: $(inputs.title)}}}\nhints: {DockerRequirement: {dockerPull: any}}",
      "$(inputs.sum.path)",
      'echo "$TITLE"; cat "$1"',
    ),
    "data/a.txt": "a\n",
    "data/b.txt": "bb\n",
    "data/c.txt": "ccc\n",
  };

  function tool(name: string, head: string, argument: string, script: string): string {
    return `
cwlVersion: v1.2
class: CommandLineTool
${head}
baseCommand: [sh, -c]
arguments: ['echo ${name} $(basename $1) >> ${ranFile}; ${script.replaceAll("'", "''")}', sh, "${argument}"]
stdout: made.txt
outputs: {made: stdout}
`.replace("$(basename", "\\$(basename");
  }
}

const parameters = {
  files: ["a", "b", "c"].map((name) => ({ class: "File", path: `data/${name}.txt` })),
  title: "Counts",
};
