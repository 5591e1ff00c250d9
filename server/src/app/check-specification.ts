import type { SpecificationReport, SpecifiedStep } from "#cli/context";
import { serialEngine } from "#engines/serial/serial-engine";
import { checkDocument } from "#operations/runs/create-run";
import { findStartFaults } from "#operations/runs/start-checks";
import type { Specification } from "#workflow/specification/specification";

/**
 * Accepted compute backends. A step of an analysis made for REANA may name Kubernetes, REANA's default: it runs locally
 * here.
 */
export const COMPUTE_BACKENDS = ["local", "kubernetes"];

/**
 * Checks a specification for `reprise validate`, as this server would. Throws if no workflow can be created from it.
 */
export function reportOn(document: unknown): SpecificationReport {
  const capabilities = { languages: [serialEngine.language], computeBackends: COMPUTE_BACKENDS };
  const { specification, warnings } = checkDocument({ capabilities }, document);
  const engines = new Map([[serialEngine.language, serialEngine]]);
  return { errors: findStartFaults({ engines }, specification), warnings, steps: stepsOf(specification) };
}

interface Step {
  readonly name?: unknown;
  readonly environment?: unknown;
  readonly commands: readonly string[];
}

/** Returns the steps. The check has verified the commands; the other fields may have any type. */
function stepsOf({ workflow }: Specification): SpecifiedStep[] {
  if (workflow.type !== "serial") return [];
  const { steps = [] } = (workflow.specification ?? {}) as { readonly steps?: readonly Step[] };
  return steps.map(({ name, environment, commands }) => ({
    name: typeof name === "string" ? name : "",
    image: typeof environment === "string" ? environment : null,
    commands,
  }));
}
