import { expect, test } from "vitest";
import { findMemoryAdvice } from "#workflow/specification/memory-warnings";

const MIB = 2 ** 20;

function used(step: string, peakMib: number, isWhole = true) {
  return { step, limitBytes: null, peakBytes: peakMib * MIB, isWhole };
}

test("the limits of a specification are compared with what its steps used before", () => {
  const steps = [
    { name: "fit", kubernetes_memory_limit: "8Gi", commands: ["true"] },
    { commands: ["true"], kubernetes_memory_limit: "128Mi" },
    { name: "plot", commands: ["true"] },
    { name: "new", kubernetes_memory_limit: "8Gi", commands: ["true"] },
    { name: "odd", kubernetes_memory_limit: { much: true }, commands: ["true"] },
  ];
  const workflow = { type: "serial", specification: { steps } } as const;
  const history = [used("fit", 100), used("1", 120), used("plot", 100), used("odd", 100)];
  expect([...findMemoryAdvice({ workflow }, history)]).toEqual([
    {
      code: "memory_limit",
      path: "workflow.specification.steps.0.kubernetes_memory_limit",
      message: 'Step "fit" asks for 8 GiB of memory and used at most 100 MiB: 160Mi would do.',
    },
    {
      code: "memory_limit",
      path: "workflow.specification.steps.1.kubernetes_memory_limit",
      message: 'Step "1" used 120 MiB of its memory limit of 128 MiB: 192Mi would leave room.',
    },
  ]);
});
