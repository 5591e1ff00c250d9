import { maybeMemoryAdvice, type StepMemory } from "#workflow/job/memory-advice";
import { maybeMemoryBytes } from "#workflow/job/memory-size";
import type { Faults } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { stepDemandsIn } from "#workflow/specification/step-demands";

const LIMIT = "kubernetes_memory_limit";

/** Finds memory limits of steps that do not fit the memory use of an earlier run. */
export function* findMemoryAdvice(
  { workflow }: Pick<Specification, "workflow">,
  used: readonly StepMemory[],
): Faults {
  const usedBy = new Map(used.map((memory) => [memory.step, memory]));
  for (const { step, demands, pathOf } of stepDemandsIn(workflow)) {
    const limitBytes = maybeMemoryBytes(demands[LIMIT]);
    const memory = usedBy.get(step);
    if (limitBytes === undefined || !memory) continue;
    const advice = maybeMemoryAdvice({ ...memory, limitBytes });
    if (advice) yield { code: "memory_limit", path: pathOf(LIMIT), message: advice.sentence };
  }
}
