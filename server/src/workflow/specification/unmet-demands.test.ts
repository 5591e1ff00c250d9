import { expect, test } from "vitest";
import type { Specification } from "#workflow/specification/specification";
import { findUnmetDemands } from "#workflow/specification/unmet-demands";

const found = (workflow: object) =>
  [...findUnmetDemands({ workflow: workflow as Specification["workflow"] })].map(
    ({ path, message }) => `${path}: ${message}`,
  );

test("a demand on all steps is named", () => {
  const resources = {
    voms_proxy: true,
    rucio: true,
    kerberos: true,
    cvmfs: ["sft.cern.ch"],
    dask: { image: "x" },
  };
  expect(found({ type: "cwl", resources })).toEqual([
    "workflow.resources.dask: Dask workflows are not allowed in this cluster.",
    "workflow.resources.voms_proxy: The workflow asks for a VOMS proxy (voms_proxy), which this server cannot give.",
    "workflow.resources.rucio: The workflow asks for a Rucio configuration (rucio), which this server cannot give.",
  ]);
});

test.each<[Specification["workflow"]["type"], (wish: object) => object, string]>([
  ["serial", (wish) => ({ steps: [{ name: "fit", ...wish }] }), "workflow.specification.steps.0.gpu"],
  ["snakemake", (wish) => ({ steps: [{ name: "fit", ...wish }] }), "workflow.specification.steps.0.gpu"],
  [
    "yadage",
    (wish) => ({
      stages: [
        { name: "fit", scheduler: { step: { environment: { resources: [{ kerberos: true }, wish] } } } },
      ],
    }),
    "workflow.specification.stages.0",
  ],
  ["cwl", (wish) => ({ id: "#fit", hints: [{ class: "reana", ...wish }] }), "workflow.specification"],
])("%s: what a step wishes is named", (type, specificationOf, path) => {
  const of = (wish: object) => found({ type, specification: specificationOf(wish) });
  expect(of({ gpu: 1 })).toEqual([
    `${path}: Step "fit" asks for a GPU (gpu), which this server cannot give.`,
  ]);
  expect(of({ privileged: true })[0]).toContain(
    "asks for the rights of the machine's administrator (privileged)",
  );
  expect(of({ kubernetes_uid: 50 })).toEqual([
    `${path.replace("gpu", "kubernetes_uid")}: The "kubernetes_uid" requested (50) is below the cluster-configured minimum (100).`,
  ]);
  expect(of({ kubernetes_uid: 100 })).toEqual([]);
  expect(of({ voms_proxy: false, rucio: null, gpu: 0, gpus: "0", privileged: "" })).toEqual([]);
});
