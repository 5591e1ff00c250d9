import { expect, test } from "vitest";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { inputFor, instructionsOf, type Texts } from "#engines/cwl/cwl-fixture";
import { loadJavaScript } from "#plumbing/javascript/evaluate";

const TEXTS: Texts = {
  "fit.cwl": `
cwlVersion: v1.2
class: CommandLineTool
baseCommand: fit
inputs: {sample: {type: File, inputBinding: {}}, mass: {type: float?, inputBinding: {}}}
outputs: []
`,
  "sample.cwl": `
cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}}
inputs: {sample: File, masses: "float[]"}
outputs: []
steps:
  check: {run: fit.cwl, in: {sample: sample}, out: []}
  fit: {run: fit.cwl, scatter: mass, in: {sample: sample, mass: masses}, out: []}
`,
  "main.cwl": `
cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}, SubworkflowFeatureRequirement: {}}
inputs: {samples: "File[]", masses: "float[]"}
outputs: []
steps:
  each: {run: sample.cwl, scatter: sample, in: {sample: samples, masses: masses}, out: []}
`,
};
const samples = ["a/s01.txt", "b/s02.txt"].map((path) => ({ class: "File", path }));
const loaded = createCwlEngine().load(
  inputFor(TEXTS, { samples, masses: [0.5, 1.5] }),
  await loadJavaScript(),
);

test("jobs of nested scatters are labelled with their tasks, from the outside in", () => {
  const jobs = instructionsOf(loaded).flatMap((one) => (one.do === "submit" ? [one.job] : []));
  expect(new Map(jobs.map(({ key, label }) => [key, label]))).toEqual(
    new Map([
      ["each/0/check", "check · task 1 (s01.txt)"],
      ["each/1/check", "check · task 2 (s02.txt)"],
      ["each/0/fit/0", "fit · task 1 (s01.txt) · task 1 (mass=0.5)"],
      ["each/0/fit/1", "fit · task 1 (s01.txt) · task 2 (mass=1.5)"],
      ["each/1/fit/0", "fit · task 2 (s02.txt) · task 1 (mass=0.5)"],
      ["each/1/fit/1", "fit · task 2 (s02.txt) · task 2 (mass=1.5)"],
    ]),
  );
});

test("a failure names the task", () => {
  const all = instructionsOf(loaded, { exitCodeOf: ({ key }) => (key === "each/1/fit/0" ? 3 : 0) });
  expect(all.at(-1)).toMatchObject({
    do: "fail",
    reason: 'Step "each/fit", task 2 (s02.txt), task 1 (mass=0.5) failed: its command exited with code 3.',
  });
});
