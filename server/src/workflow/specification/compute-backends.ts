import { type BackendCapabilities, computeBackendsOf } from "#workflow/capabilities";
import type { Faults } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { stepDemandsIn } from "#workflow/specification/step-demands";

/** Finds steps with an unavailable compute backend, in REANA's words. */
export function* findUnknownBackends(
  { workflow }: Pick<Specification, "workflow">,
  backends: readonly BackendCapabilities[],
): Faults {
  const supported = computeBackendsOf(backends);
  for (const { step, demands, pathOf } of stepDemandsIn(workflow)) {
    const { compute_backend: backend } = demands;
    if (typeof backend !== "string" || backend === "" || supported.includes(backend)) continue;
    const message =
      `Compute backend "${backend}" found in step "${step}" is not supported. ` +
      `List of supported compute backends: "${supported.join(", ")}"`;
    yield { code: "compute_backend", path: pathOf("compute_backend"), message };
  }
}
