import { expect, test } from "vitest";
import { demandsOf, resourceProblems } from "#engines/yadage/steps/resources";
import type { Specification } from "#workflow/specification/specification";

const specificationWith = (resources: object): Specification => ({ workflow: { type: "yadage", resources } });

test("the resources of an environment reach the job under REANA's names, and the first of two counts", () => {
  const resources = [
    "CVMFS",
    { kubernetes_memory_limit: "256Mi", kubernetes_cpu_limit: "500m" },
    { kubernetes_memory_limit: "1Gi", kubernetes_job_timeout: 60 },
    { compute_backend: "slurmcern" },
    { slurm_partition: "short" },
    { kerberos: true },
    { kubernetes_uid: 500 },
  ];
  expect(demandsOf(resources, specificationWith({ cvmfs: ["sft.cern.ch"] }))).toEqual({
    limits: { timeMs: 60_000, memoryBytes: 256 * 2 ** 20, cores: 0.5 },
    resources: { cores: 1, memoryBytes: 256 * 2 ** 20 },
    backend: {
      name: "slurmcern",
      options: { slurm_partition: "short", kubernetes_cpu_limit: "500m", kubernetes_uid: 500 },
    },
    kerberos: true,
    user: { uid: 500, gid: 0 },
    mounts: [{ from: "/cvmfs/sft.cern.ch", at: "/cvmfs/sft.cern.ch", mode: "read" }],
  });
  expect(demandsOf(["CVMFS"], specificationWith({}))).toEqual({});
});

test("the words of HTCondor reach the job", () => {
  const options = { htcondor_max_runtime: "espresso", htcondor_request_memory: "2 GB" };
  const resources = [
    { compute_backend: "htcondorcern" },
    ...Object.entries(options).map((one) => Object.fromEntries([one])),
  ];
  expect(demandsOf(resources, specificationWith({}))).toEqual({ backend: { name: "htcondorcern", options } });
});

test("GPUs are reserved, with or without a limit of memory", () => {
  expect(demandsOf([{ gpus: 2 }], specificationWith({}))).toEqual({
    resources: { cores: 1, memoryBytes: 0, gpus: 2 },
  });
  const both = [{ kubernetes_gpus: "1" }, { kubernetes_memory_limit: "1Gi" }];
  expect(demandsOf(both, specificationWith({}))).toMatchObject({
    resources: { cores: 1, memoryBytes: 2 ** 30, gpus: 1 },
  });
  expect(resourceProblems([{ gpu: "one" }])).toEqual([
    'asks for resources that it cannot have: gpu is "one"; it must be a whole number of GPUs from 0 to 1024',
  ]);
});

test("a step inherits the ticket of the workflow, unless the step declares no need", () => {
  const shared = specificationWith({ kerberos: true });
  expect(demandsOf([], shared)).toEqual({ kerberos: true });
  expect(demandsOf([{ kerberos: false }], shared)).toEqual({});
  expect(demandsOf([{ voms_proxy: true }, { rucio: true }], specificationWith({}))).toEqual({
    vomsProxy: true,
    rucio: true,
  });
});

test("a resource that is not available is a problem of the stage", () => {
  expect(resourceProblems([{ kubernetes_job_timeout: "soon" }, { kubernetes_uid: 0 }])).toEqual([
    'asks for resources that it cannot have: kubernetes_job_timeout is "soon"; it must be a number of seconds above 0',
    'asks for resources that it cannot have: The "kubernetes_uid" requested (0) is below the cluster-configured minimum (100)',
  ]);
  expect(resourceProblems([{ voms_proxy: true }, { rucio: true }])).toEqual([]);
  expect(resourceProblems(["CVMFS", { kubernetes_memory_limit: "1Gi" }])).toEqual([]);
});
