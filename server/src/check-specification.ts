import { serialEngine } from "#engines/serial/serial-engine";
import { checkDocument } from "#operations/create-workflow";
import type { SpecificationWarning } from "#workflow/specification/specification";

/** A step of an analysis made for REANA may ask for Kubernetes, REANA's default: it runs here all the same. */
export const COMPUTE_BACKENDS = ["local", "kubernetes"];

/** `reprise validate`: what this server would say, without one; part of `app.ts`. Throws what would be a refusal. */
export function warningsOf(document: unknown): readonly SpecificationWarning[] {
  const capabilities = { languages: [serialEngine.language], computeBackends: COMPUTE_BACKENDS };
  return checkDocument({ capabilities }, document).warnings;
}
