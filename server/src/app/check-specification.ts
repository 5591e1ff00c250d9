import { KNOWN_BACKENDS } from "#app/jobs/backends";
import { hostedEngines } from "#app/server-parts";
import { maybeSnakemake } from "#app/snakemake";
import { ENGINES } from "#app/supported";
import type { SpecificationReport, SpecifiedStep } from "#cli/context";
import { checkDocument } from "#operations/runs/create/create-run";
import { findStartFaults } from "#operations/runs/start/start-checks";
import type { Specification } from "#workflow/specification/specification";

/**
 * Checks a specification for `reprise validate`, as this server would. Throws if no workflow can be created from it.
 */
export async function reportOn(
  document: unknown,
  placeOf?: (path: string) => string,
): Promise<SpecificationReport> {
  const snakemake = maybeSnakemake({ snakemake: undefined });
  const engines = hostedEngines(snakemake ? [...ENGINES, snakemake] : ENGINES);
  const capabilities = { languages: [...engines.keys()], backends: KNOWN_BACKENDS };
  const { specification, warnings } = checkDocument(
    { capabilities },
    { document, ...(placeOf && { placeOf }) },
  );
  const errors = await findStartFaults({ engines }, specification);
  return { errors, warnings, steps: stepsOf(specification) };
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
