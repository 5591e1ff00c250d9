import { expect, test } from "vitest";
import { SOME_RUN } from "#engines/contract-suite";
import type { EngineEvent, Instruction, RunRequest } from "#engines/engine";
import { prepareYadage } from "#engines/yadage/load/prepare";
import { yadageEngine } from "#engines/yadage/yadage-engine";
import { jqEvaluator } from "#plumbing/jq/jq";

const STEP =
  "{process: {process_type: string-interpolated-cmd, cmd: 'fit {sample}'}, environment: {environment_type: localproc-env}, publisher: {publisher_type: frompar-pub, outputmap: {sample: sample}}}";
const DOCUMENTS = {
  "map.yml": `
stages:
- name: fit
  dependencies: [init]
  scheduler:
    scheduler_type: multistep-stage
    parameters: {sample: {step: init, output: samples}, kind: same}
    scatter: {method: zip, parameters: [sample]}
    step: ${STEP}
`,
  "nested.yml": `
stages:
- name: each
  dependencies: [init]
  scheduler:
    scheduler_type: multistep-stage
    parameters: {samples: {step: init, output: groups}}
    scatter: {method: cartesian, parameters: [samples]}
    workflow: {$ref: map.yml}
`,
};
const parameters = {
  samples: ["data/s01.txt", "data/s02.txt"],
  groups: [["a.txt", "b.txt"], ["c.txt"]],
};
const evaluate = jqEvaluator();

function load(file: string) {
  const request: RunRequest = {
    specification: { workflow: { type: "yadage", file }, inputs: { parameters } },
    parameters: {},
    options: {},
  };
  const made = prepareYadage(request, DOCUMENTS);
  if (made.kind !== "ready") throw new Error(JSON.stringify(made));
  return yadageEngine.load({ ...request, model: made.model, run: SOME_RUN }, evaluate);
}

/** Runs a workflow in which the first job ends with an exit code. */
function instructionsOf(file: string, exitCode: number): Instruction[] {
  const loaded = load(file);
  let step = loaded.start();
  const all = [...step.instructions];
  for (let at = 0, jobs = 0; at < all.length; at += 1) {
    const event = eventFor(all[at]!, jobs === 0 ? exitCode : 0);
    if (!event) continue;
    if (event.kind === "job-ended") jobs += 1;
    step = loaded.apply(step.state, event);
    all.push(...step.instructions);
  }
  return all;
}

function eventFor(instruction: Instruction, exitCode: number): EngineEvent | undefined {
  if (instruction.do === "go-on") return { kind: "went-on", id: instruction.id };
  if (instruction.do === "look") {
    const files = instruction.paths.map((path) => ({ path, kind: "absent" as const }));
    return { kind: "looked", id: instruction.id, files };
  }
  if (instruction.do === "write") return { kind: "written", id: instruction.id };
  if (instruction.do !== "submit") return undefined;
  const end = { reason: "exited", exitCode, startedAtMs: 0, endedAtMs: 1 } as const;
  return { kind: "job-ended", key: instruction.job.key, end, lastLines: [] };
}

function labelsOf(file: string): (string | undefined)[][] {
  return instructionsOf(file, 0).flatMap((one) =>
    one.do === "submit" ? [[one.job.name, one.job.label]] : [],
  );
}

test("tasks keep the name that Yadage gives them, and are labelled with number and value", () => {
  expect(labelsOf("map.yml")).toEqual([
    ["fit_0", "fit · task 1 (s01.txt)"],
    ["fit_1", "fit · task 2 (s02.txt)"],
  ]);
});

test("tasks of a workflow inside a scatter name the outer task first", () => {
  expect(labelsOf("nested.yml")).toEqual([
    ["fit_0", "fit · task 1 (a.txt …) · task 1 (a.txt)"],
    ["fit_1", "fit · task 1 (a.txt …) · task 2 (b.txt)"],
    ["fit_0", "fit · task 2 (c.txt) · task 1 (c.txt)"],
  ]);
});

test("a failure names the task", () => {
  expect(instructionsOf("map.yml", 3)).toContainEqual(
    expect.objectContaining({
      do: "log",
      line: 'Step "fit", task 1 (s01.txt) failed: its command exited with code 3.',
    }),
  );
});
