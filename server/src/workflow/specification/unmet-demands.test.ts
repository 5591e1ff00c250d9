import { expect, test } from "vitest";
import type { BackendCapabilities } from "#workflow/capabilities";
import type { Specification } from "#workflow/specification/specification";
import { findUnmetDemands } from "#workflow/specification/unmet-demands";

const local = (gpus: number): BackendCapabilities => ({
  computeBackends: ["local"],
  provides: () => ["voms-proxy", "rucio"],
  maxGpus: () => gpus,
});
const slurm: BackendCapabilities = {
  computeBackends: ["slurm"],
  provides: () => [],
  maxGpus: () => Infinity,
};

const found = (workflow: object, gpus = 0) =>
  [...findUnmetDemands({ workflow: workflow as Specification["workflow"] }, [local(gpus), slurm])].map(
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
  expect(found({ type: "cwl", resources })).toEqual([]);
  expect(found({ type: "cwl", resources: { ...resources, privileged: true } })).toEqual([
    "workflow.resources.privileged: The workflow asks for the rights of the machine's administrator (privileged), which this server cannot give.",
  ]);
});

test.each([
  [{ image: "x" }, []],
  [{ image: "x", number_of_workers: 2, single_worker_memory: "8Gi", single_worker_threads: 8 }, []],
  [{}, ["A Dask cluster needs the name of an image, as in `image: ghcr.io/dask/dask:latest`."]],
  [
    { image: "x", number_of_workers: 21, single_worker_memory: "1M" },
    ['The "number_of_workers" provided in the dask resources exceeds the limit (20).'],
  ],
  [
    { image: "x", single_worker_threads: 9 },
    ['The "single_worker_threads" provided in the dask resources exceeds the limit (8).'],
  ],
  [
    { image: "x", single_worker_memory: "9Gi" },
    ['The "single_worker_memory" provided in the dask resources exceeds the limit (8Gi).'],
  ],
  [
    { image: "x", number_of_workers: 3, single_worker_memory: "6Gi" },
    [
      "The memory of all workers in the dask resources exceeds the limit (16Gi). Ask for fewer workers, or for less memory for each.",
    ],
  ],
  [
    { image: "x", number_of_workers: 0, single_worker_threads: 1.5, single_worker_memory: "much" },
    [
      'The "number_of_workers" provided in the dask resources must be a whole number from 1 on.',
      'The "single_worker_threads" provided in the dask resources must be a whole number from 1 on.',
      'The "single_worker_memory" provided in the dask resources must be a size such as 2Gi.',
    ],
  ],
])("a Dask cluster %j", (dask, expected) => {
  const faults = found({ type: "serial", resources: { dask } });
  expect(faults).toEqual(expected.map((message) => `workflow.resources.dask: ${message}`));
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
  const of = (wish: object, gpus = 0) => found({ type, specification: specificationOf(wish) }, gpus);
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
  expect(of({ gpu: 1 }, 1)).toEqual([]);
  expect(of({ gpu: "2" }, 1)).toEqual([
    `${path}: Step "fit" asks for 2 GPUs (gpu), and this server has 1 GPU.`,
  ]);
  expect(of({ gpu: 9, compute_backend: "slurm" })).toEqual([]);
  expect(of({ gpu: 0.5 }, 1)).toEqual([
    `${path}: Step "fit": gpu is 0.5; it must be a whole number of GPUs from 0 to 1024.`,
  ]);
  expect(of({ voms_proxy: true, rucio: true })).toEqual([]);
  expect(of({ rucio: true, compute_backend: "slurm" })[0]).toContain(
    'Step "fit" asks for a configuration of Rucio (rucio), which slurm cannot give to jobs: use another compute_backend.',
  );
  expect(of({ voms_proxy: false, rucio: null, gpu: 0, gpus: "0", privileged: "" })).toEqual([]);
});

test("GPUs for the whole workflow are refused: only a step can have them", () => {
  expect(found({ type: "serial", resources: { gpus: 1 } }, 4)).toEqual([
    "workflow.resources.gpus: The workflow asks for a GPU (gpus), which only a step can have: name it in the steps that need one.",
  ]);
});

test("without backends, only the form of the number is checked", () => {
  const workflow = (gpus: unknown) => ({
    workflow: {
      type: "serial",
      specification: { steps: [{ gpus }] },
    } as unknown as Specification["workflow"],
  });
  expect([...findUnmetDemands(workflow(64))]).toEqual([]);
  expect([...findUnmetDemands(workflow("many"))]).toHaveLength(1);
});
