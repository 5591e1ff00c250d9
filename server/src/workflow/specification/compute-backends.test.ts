import { expect, test } from "vitest";
import { findUnknownBackends } from "#workflow/specification/compute-backends";
import type { Specification } from "#workflow/specification/specification";

const BACKENDS = [{ computeBackends: ["kubernetes", "local"], provides: () => [] }];

function stepsFound(type: Specification["workflow"]["type"], specification: unknown): string[] {
  const found = findUnknownBackends({ workflow: { type, specification } }, BACKENDS);
  return [...found].map(({ path, message }) => `${path}: ${/in step "([^"]*)"/.exec(message)![1]}`);
}

const asked = (name: string, compute_backend: unknown) => ({ name, compute_backend });
const STEPS = [
  asked("a", "local"),
  asked("b", "slurm"),
  asked("", "slurm"),
  asked("c", ""),
  asked("d", 1),
  {},
];

test.each(["serial", "snakemake"] as const)("%s: each step says where it runs", (type) => {
  expect(stepsFound(type, { steps: STEPS })).toEqual([
    "workflow.specification.steps.1.compute_backend: b",
    "workflow.specification.steps.2.compute_backend: 2",
  ]);
});

test("Yadage: a resource of each stage's environment says it, also in a nested workflow", () => {
  const stage = (name: string, ...resources: object[]) => ({
    name,
    scheduler: { step: { environment: { resources } } },
  });
  const nested = { name: "outer", scheduler: { workflow: { stages: [stage("inner", asked("", "slurm"))] } } };
  const stages = [stage("one", { kerberos: true }, asked("", "htcondorcern")), stage("two"), nested];
  expect(stepsFound("yadage", { stages })).toEqual([
    "workflow.specification.stages.0: one",
    "workflow.specification.stages.2: inner",
  ]);
});

test("CWL: a hint of a step or of a tool says it, written as a list or as a map", () => {
  const inList = { id: "#main/fit", hints: [{ class: "Other" }, { class: "reana", ...asked("", "slurm") }] };
  const tool = { id: "#plot.cwl", hints: { reana: asked("", "slurm") } };
  const $graph = [{ id: "#main", steps: [inList, { id: "#main/none" }] }, tool];
  const path = "workflow.specification";
  expect(stepsFound("cwl", { $graph })).toEqual([`${path}: main/fit`, `${path}: plot.cwl`]);
  expect(stepsFound("cwl", { ...tool, steps: { fit: tool } })).toEqual([`${path}: plot.cwl`, `${path}: fit`]);
});

test("an unparsed workflow asks for no backend", () => {
  for (const type of ["snakemake", "yadage", "cwl"] as const) {
    expect(stepsFound(type, undefined)).toEqual([]);
    expect(stepsFound(type, { steps: 3, stages: {}, $graph: "x" })).toEqual([]);
  }
});
