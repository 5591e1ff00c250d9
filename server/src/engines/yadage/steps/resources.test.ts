import { expect, test } from "vitest";
import { resourcesIn } from "#engines/yadage/steps/resources";

test("the resources of an environment become the job's limits and its backend", () => {
  const resources = [
    "CVMFS",
    { kubernetes_memory_limit: "256Mi" },
    { kubernetes_job_timeout: 60 },
    { compute_backend: "slurmcern" },
    { slurm_partition: "short" },
  ];
  expect(resourcesIn(resources)).toEqual({
    limits: { timeMs: 60_000 },
    resources: { cores: 1, memoryBytes: 256 * 2 ** 20 },
    backend: { name: "slurmcern", options: { slurm_partition: "short" } },
  });
  expect(resourcesIn(["CVMFS"])).toEqual({});
});
