import type { RunServices } from "#operations/runs/services";
import { checkDocument } from "#operations/runs/create/create-run";
import { checkBundle, type ReceiveBundle } from "#operations/runs/create/create-run-from-bundle";
import {
  DOCUMENT_WARNING,
  IMAGE_WARNING,
  withDocumentWarnings,
} from "#operations/runs/create/document-warnings";
import { findStartFaults } from "#operations/runs/checks/start-checks";
import { Refusal } from "#plumbing/errors";
import type { StepMemory } from "#workflow/job/memory-advice";
import {
  type CheckedSpecification,
  MalformedSpecification,
} from "#workflow/specification/check-specification";
import { findMemoryAdvice } from "#workflow/specification/memory-warnings";
import {
  findEnvironments,
  findUntaggedImages,
  type RuntimeEnvironment,
} from "#workflow/specification/environments";
import { type SpecificationWarning, withoutSaid } from "#workflow/specification/specification";

export interface ValidationReport {
  readonly errors: readonly SpecificationWarning[];
  readonly warnings: readonly SpecificationWarning[];
  /** Environments of the steps. Empty if the specification is malformed. */
  readonly environments: readonly RuntimeEnvironment[];
}

/**
 * Reports the refusals to expect from REANA and from a start on this server. Some specifications run here
 * although REANA refuses them: their faults are errors in the report, and only warnings when the run is
 * created. Warnings also advise memory limits, based on the use by steps of an earlier run.
 */
export async function validateBundle(
  context: Pick<RunServices, "capabilities" | "bundles" | "engines">,
  ownerId: string,
  receive: ReceiveBundle,
  used: readonly StepMemory[] = [],
): Promise<ValidationReport> {
  return receive((content) =>
    context.bundles.use(content, (bundle) =>
      report(context, ownerId, used, () => checkBundle(context, ownerId, bundle)),
    ),
  );
}

/** Validates a specification that was sent by itself, as JSON. */
export function validateDocument(
  context: Pick<RunServices, "capabilities" | "engines">,
  ownerId: string,
  document: unknown,
  used: readonly StepMemory[] = [],
): Promise<ValidationReport> {
  return report(context, ownerId, used, () =>
    withDocumentWarnings(context, ownerId, checkDocument(context, { document })),
  );
}

async function report(
  context: Pick<RunServices, "engines">,
  ownerId: string,
  used: readonly StepMemory[],
  check: () => CheckedSpecification | Promise<CheckedSpecification>,
): Promise<ValidationReport> {
  try {
    const checked = await check();
    const found = reportOf(checked, await findStartFaults(context, ownerId, checked.specification));
    return { ...found, warnings: [...found.warnings, ...findMemoryAdvice(checked.specification, used)] };
  } catch (error) {
    if (error instanceof Refusal && error.kind === "malformed") return refusedReport(error);
    throw error;
  }
}

/** Warning codes: faults reported only as warnings by REANA, and warnings specific to this server. */
const NOTED = new Set([
  "additional_properties",
  DOCUMENT_WARNING,
  IMAGE_WARNING,
  "parameters",
  "report_truncated",
  "stages",
  "workflow_type",
]);

function reportOf(
  { specification, warnings }: CheckedSpecification,
  startFaults: readonly SpecificationWarning[],
): ValidationReport {
  return {
    errors: [...withoutSaid(warnings, startFaults).filter(({ code }) => !NOTED.has(code)), ...startFaults],
    warnings: [...warnings.filter(({ code }) => NOTED.has(code)), ...findUntaggedImages(specification)],
    environments: findEnvironments(specification),
  };
}

function refusedReport(error: Refusal): ValidationReport {
  const fault =
    error instanceof MalformedSpecification
      ? { code: error.code, path: error.path, message: error.reason }
      : { code: "serialization", path: "", message: error.message };
  return { errors: [fault], warnings: [], environments: [] };
}
