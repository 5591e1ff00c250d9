import type { Problem } from "#engines/problem";
import type { BackendCapabilities } from "#workflow/capabilities";
import type { Specification } from "#workflow/specification/specification";
import { stepDemandsIn } from "#workflow/specification/step-demands";

/** Finds options of steps that the place of their jobs cannot grant, such as a partition that the cluster does not have. */
export async function findRefusedOptions(
  { workflow }: Pick<Specification, "workflow">,
  backends: readonly BackendCapabilities[],
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { step, demands, pathOf } of stepDemandsIn(workflow)) {
    const { compute_backend: word } = demands;
    const backend =
      typeof word === "string" && word !== ""
        ? backends.find(({ computeBackends }) => computeBackends.includes(word))
        : backends[0];
    for (const { key, message } of (await backend?.optionProblems?.(demands)) ?? [])
      problems.push({ path: pathOf(key), message: `Step "${step}": ${message}` });
  }
  return problems;
}
