import { describe, expect, test } from "vitest";
import { gpuDemandIn, gpusIn, requiredGpus, withGpus } from "#workflow/job/gpus";

describe("the GPUs of a step", () => {
  test.each([
    [{}, 0],
    [{ gpus: 1 }, 1],
    [{ gpu: "2" }, 2],
    [{ nvidia_gpu: 3 }, 3],
    [{ kubernetes_gpus: 4 }, 4],
    [{ kubernetes_gpu: 5 }, 5],
    [{ "nvidia.com/gpu": "6" }, 6],
    [{ gpus: 7, gpu: "7", kubernetes_gpus: 0 }, 7],
    [{ gpus: 0 }, 0],
    [{ gpus: false, gpu: null, nvidia_gpu: "" }, 0],
  ])("%j are %d", (step, expected) => {
    expect(gpusIn(step)).toBe(expected);
    expect(gpuDemandIn(step) ?? {}).not.toHaveProperty("problem");
  });

  test.each([0.5, -1, 1025, "one", "0.5", "1e3", true, [1], Number.NaN])("%j cannot be read", (gpus) => {
    expect(gpuDemandIn({ gpus })).toEqual({
      key: "gpus",
      problem: `gpus is ${JSON.stringify(gpus)}; it must be a whole number of GPUs from 0 to 1024`,
    });
    expect(gpusIn({ gpus })).toBe(0);
  });

  test("two keys that differ are refused", () => {
    expect(gpuDemandIn({ gpus: 1, kubernetes_gpus: 2 })).toEqual({
      key: "kubernetes_gpus",
      problem: "gpus is 1 and kubernetes_gpus is 2; name one of them",
    });
  });

  test("are added to the resources of a job", () => {
    expect(withGpus(undefined, 0)).toEqual({});
    expect(withGpus({ cores: 2, memoryBytes: 3 }, 0)).toEqual({ resources: { cores: 2, memoryBytes: 3 } });
    expect(withGpus(undefined, 2)).toEqual({ resources: { cores: 1, memoryBytes: 0, gpus: 2 } });
    expect(requiredGpus(withGpus(undefined, 2))).toBe(2);
    expect(requiredGpus(withGpus(undefined, 2, true))).toBe(0);
  });
});
