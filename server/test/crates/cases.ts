import { expect } from "vitest";

const SHA256 = expect.stringMatching(/^[\da-f]{64}$/) as unknown;
const FAILED = "http://schema.org/FailedActionStatus";
const SECONDS = "https://qudt.org/vocab/unit/SEC";

/** A workflow whose crate is judged, with what the questions must find in it. */
export interface CrateCase {
  readonly name: string;
  readonly document: object;
  readonly files: Readonly<Record<string, string>>;
  readonly answers: Readonly<Record<string, unknown>>;
}

const ECHO = `
cwlVersion: v1.2
class: CommandLineTool
requirements:
  EnvVarRequirement: {envDef: {WORD: hello}}
hints:
  DockerRequirement: {dockerPull: docker.io/library/python:3.12}
baseCommand: [echo]
inputs:
  word: {type: string, inputBinding: {}}
stdout: $(inputs.word).txt
outputs:
  said: {type: stdout}
`;

const JOIN = `
cwlVersion: v1.2
class: CommandLineTool
baseCommand: [cat]
inputs:
  parts: {type: "File[]", inputBinding: {}}
stdout: all.txt
outputs:
  all: {type: stdout}
`;

const INNER = `
cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}}
inputs: {words: "string[]"}
outputs:
  all: {type: File, outputSource: join/all}
steps:
  say: {run: echo.cwl, scatter: word, in: {word: words}, out: [said]}
  join: {run: join.cwl, in: {parts: say/said}, out: [all]}
`;

const OUTER = `
cwlVersion: v1.2
class: Workflow
requirements: {SubworkflowFeatureRequirement: {}}
inputs: {words: "string[]"}
outputs:
  all: {type: File, outputSource: inner/all}
steps:
  inner: {run: inner.cwl, in: {words: words}, out: [all]}
`;

const NEVER = `
cwlVersion: v1.2
class: Workflow
inputs: {words: "string[]"}
outputs:
  said: {type: File?, outputSource: say/said}
steps:
  say: {run: echo.cwl, when: $(false), in: {word: {default: x}}, out: [said]}
`;

const TOOLS = { "cwl/echo.cwl": ECHO, "cwl/join.cwl": JOIN, "cwl/inner.cwl": INNER };

const SNAKEFILE = `
rule all:
    input: "out.txt"
rule part:
    output: "part{i}.txt"
    shell: "echo {wildcards.i} > {output}"
rule join:
    input: "part1.txt", "part2.txt"
    output: "out.txt"
    shell: "cat {input} > {output}"
`;

const YADAGE = `
stages:
  - name: scan
    dependencies: [init]
    scheduler:
      scheduler_type: multistep-stage
      parameters: {n: {step: init, output: numbers}}
      scatter: {method: zip, parameters: [n]}
      workflow: {$ref: inner.yml}
`;

const YADAGE_INNER = `
stages:
  - name: fit
    dependencies: [init]
    scheduler:
      scheduler_type: singlestep-stage
      parameters: {n: {step: init, output: n}, out: '{workdir}/fit.txt'}
      step:
        process: {process_type: string-interpolated-cmd, cmd: 'echo {n} > {out}'}
        environment: {environment_type: localproc-env}
        publisher: {publisher_type: frompar-pub, outputmap: {out: out}}
`;

function cwl(main: string, text: string, parameters: object) {
  return {
    document: {
      workflow: { type: "cwl", file: `cwl/${main}` },
      inputs: { parameters, directories: ["cwl"] },
      outputs: { files: ["all.txt"] },
    },
    files: { ...TOOLS, [`cwl/${main}`]: text },
  };
}

export const CASES: readonly CrateCase[] = [
  {
    name: "a CWL run with a scatter in a workflow in the workflow",
    ...cwl("main.cwl", OUTER, { words: ["one", "two"] }),
    answers: {
      images: [
        ["say · task 1 (one)", "docker.io", "library/python"],
        ["say · task 2 (two)", "docker.io", "library/python"],
      ],
      environment: expect.arrayContaining([["say · task 1 (one)", "WORD", "hello"]]) as unknown,
      "inputs of the run": [
        ["cwl/echo.cwl", SHA256],
        ["cwl/inner.cwl", SHA256],
        ["cwl/join.cwl", SHA256],
        ["w.4", SHA256],
      ],
      // The SHA-256 of "one\ntwo\n".
      "outputs of the run": [
        ["outputs/all.txt", "c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8"],
      ],
      "inputs of jobs": [
        ["join", "cwl/4/inner/say/0/out/one.txt"],
        ["join", "cwl/4/inner/say/1/out/two.txt"],
      ],
      "outputs of jobs": expect.arrayContaining([
        ["join", "cwl/4/inner/join/out/all.txt"],
        ["say · task 2 (two)", "cwl/4/inner/say/1/out/two.txt"],
      ]) as unknown,
      scripts: [
        ["join", "cat cwl/4/inner/say/0/out/one.txt cwl/4/inner/say/1/out/two.txt"],
        ["say", "echo one\necho two"],
      ],
      parameters: [["words", '["one","two"]']],
      steps: [
        ["Run of inner", "join"],
        ["Run of inner", "say"],
        ["Run w.4", "inner"],
      ],
    },
  },
  {
    name: "a CWL run without a job",
    ...cwl("never.cwl", NEVER, { words: [] }),
    answers: { scripts: [], images: [] },
  },
  {
    name: "a Snakemake run",
    document: {
      workflow: { type: "snakemake", file: "Snakefile" },
      inputs: {},
      outputs: { files: ["out.txt"] },
    },
    files: { Snakefile: SNAKEFILE },
    answers: {
      "outputs of the run": [["out.txt", SHA256]],
      scripts: expect.arrayContaining([["part", "echo 1 > part1.txt\necho 2 > part2.txt"]]) as unknown,
      resources: expect.arrayContaining([["part (i=2)", "cpu-time", SECONDS]]) as unknown,
    },
  },
  {
    name: "a Yadage run with workflows in stages",
    document: {
      workflow: { type: "yadage", file: "workflow.yml" },
      inputs: { files: ["inner.yml"], parameters: { numbers: [1, 2] } },
      outputs: { directories: ["scan_0", "scan_1"] },
    },
    files: { "workflow.yml": YADAGE, "inner.yml": YADAGE_INNER },
    answers: {
      "inputs of the run": [["inner.yml", SHA256]],
      "outputs of the run": [
        ["scan_0/fit/fit.txt", SHA256],
        ["scan_1/fit/fit.txt", SHA256],
      ],
      steps: [
        ["Run of scan", "scan_0"],
        ["Run of scan", "scan_1"],
        ["Run of scan_0", "fit"],
        ["Run of scan_1", "fit"],
        ["Run w.7", "scan"],
      ],
    },
  },
  {
    name: "a serial run that failed",
    document: {
      workflow: {
        type: "serial",
        specification: {
          steps: [
            {
              name: "make",
              environment: "docker.io/library/python:3.12",
              commands: ["cat 'a b.txt' > made.txt"],
            },
            { name: "break", commands: ["cat made.txt; exit 3"] },
          ],
        },
      },
      inputs: {
        files: ["a b.txt"],
        options: { CACHE: "off" },
        parameters: { n: 1.5, flag: true, list: [1], text: "x" },
      },
      outputs: { files: ["never.txt"] },
    },
    files: { "a b.txt": "1\n" },
    answers: {
      images: [["make", "docker.io", "library/python"]],
      configuration: [["CACHE", "off"]],
      success: [
        ["Run w.8", FAILED, 'Step "break" failed: its command exited with code 3.'],
        ["break", FAILED, "The command exited with code 3."],
        ["make", "http://schema.org/CompletedActionStatus", "None"],
      ],
      "inputs of the run": [["a b.txt", "4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865"]],
      "inputs of jobs": [
        ["break", "made.txt"],
        ["make", "a b.txt"],
      ],
      "outputs of jobs": [
        ["break", "ro-crate-logs/2.txt"],
        ["make", "made.txt"],
      ],
      parameters: [
        ["flag", "true"],
        ["list", "[1]"],
        ["n", "1.5"],
        ["text", "x"],
      ],
    },
  },
];
