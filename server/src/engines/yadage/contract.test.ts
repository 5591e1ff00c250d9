import { engineContract, SOME_RUN } from "#engines/contract-suite";
import type { Documents } from "#engines/documents";
import type { Answer, EngineInput, FileAsk, RunRequest } from "#engines/engine";
import { prepareYadage } from "#engines/yadage/load/prepare";
import { yadageEngine } from "#engines/yadage/yadage-engine";
import { JQ_INPUT, jqEvaluator } from "#plumbing/jq/jq";

const STEP = (publisher: string, command = "echo {n}") =>
  `{process: {process_type: string-interpolated-cmd, cmd: '${command}'}, environment: {environment_type: localproc-env}, publisher: ${publisher}}`;
const GLOB = "{publisher_type: fromglob-pub, globexpression: '*.txt', outputkey: files}";
const FROM_PARAMETERS = "{publisher_type: frompar-pub, outputmap: {n: n}}";

const WORKFLOWS = {
  "one.yml": `
stages:
- name: one
  dependencies: [init]
  scheduler:
    scheduler_type: singlestep-stage
    parameters: {n: {step: init, output: n}}
    step: ${STEP(FROM_PARAMETERS)}
`,
  "map.yml": `
stages:
- name: map
  dependencies: [init]
  scheduler:
    scheduler_type: multistep-stage
    parameters: {n: {step: init, output: list}}
    scatter: {method: zip, parameters: [n]}
    step: ${STEP(GLOB)}
- name: reduce
  dependencies: [map]
  scheduler:
    scheduler_type: singlestep-stage
    parameters: {n: {stages: map, output: files, flatten: true}}
    step: ${STEP("{publisher_type: fromyaml-pub, yamlfile: out.yml}")}
- name: never
  dependencies: [nothing]
  scheduler: {scheduler_type: singlestep-stage, parameters: {n: 1}, step: {$ref: 'map.yml#/stages/0/scheduler/step'}}
`,
  "nested.yml": `
stages:
- name: sub
  dependencies: [init]
  scheduler:
    scheduler_type: multistep-stage
    parameters: {n: {step: init, output: list}, file: 'a*'}
    scatter: {method: cartesian, parameters: [n]}
    workflow: {$ref: one.yml}
    workflow_opts: {discover: true}
- name: choice
  dependencies: ['sub[*].one']
  scheduler:
    scheduler_type: singlestep-stage
    parameters: {n: {stages: 'sub[*].one', output: n}}
    cases:
    - {if: '.n|length > 100', step: ${STEP(GLOB)}}
    - {if: 'true', step: ${STEP("{publisher_type: interpolated-pub, publish: {a: '{workdir}/*'}, glob: true}")}}
`,
};

const PARAMETERS = { n: "data/*.csv", list: ["a", "b.txt", 3], path: "in.txt" };

function requestOf(file: string): RunRequest {
  return {
    specification: { workflow: { type: "yadage", file }, inputs: { parameters: PARAMETERS } },
    parameters: {},
    options: {},
  };
}

function inputOf(file: string): EngineInput {
  const request = requestOf(file);
  const made = prepareYadage(request, WORKFLOWS);
  if (made.kind !== "ready") throw new Error(`${file} is not ready: ${JSON.stringify(made)}`);
  return { ...request, model: made.model, run: SOME_RUN };
}

function answer(ask: FileAsk): Answer | undefined {
  switch (ask.do) {
    case "look":
      return { kind: "looked", id: ask.id, files: ask.paths.map((path) => ({ path, kind: "absent" })) };
    case "read":
      return { kind: "read", id: ask.id, text: "a: 1", bytes: 4 };
    case "write":
      return { kind: "written", id: ask.id };
    case "list": {
      const path = ask.folder === "" ? "a.txt" : `${ask.folder}/a.txt`;
      return {
        kind: "listed",
        id: ask.id,
        listing: { entries: [{ path, kind: "file", bytes: 1 }], isCut: false },
      };
    }
    default:
      return undefined;
  }
}

const requests = ["one.yml", "map.yml", "nested.yml", "absent.yml", "../escape.yml"].map(requestOf);

const evaluate = jqEvaluator();
// Loads jq, the slowest part of the test.
evaluate({ source: ".a", input: { [JQ_INPUT]: {} } });

engineContract("yadage", {
  engine: yadageEngine,
  evaluate,
  inputs: ["one.yml", "map.yml", "nested.yml"].map(inputOf),
  answer,
  prepared: { requests, documents: WORKFLOWS satisfies Documents },
});
