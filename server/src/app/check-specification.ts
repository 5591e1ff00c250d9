import type { SettingOptions } from "#workflow/reports";
import { backendsOfMachine } from "#app/jobs/backends";
import { checkDocuments } from "#app/check-documents";
import { hostedEngines } from "#app/server-parts";
import { maybeSnakemake } from "#app/snakemake";
import { ENGINES } from "#app/supported";
import type {
  NamedServer,
  SpecificationPlace,
  SpecificationReport,
  SpecifiedStep,
} from "#cli/specification/specification-report";
import { checkDocument } from "#operations/runs/create/create-run";
import { findStartFaults } from "#operations/runs/checks/start-checks";
import { isLanguage } from "#workflow/language";
import { type Specification, withoutSaid } from "#workflow/specification/specification";

/**
 * Checks a specification for `reprise validate`, as a server on this machine would, and reads the named
 * documents from its folder. If a server is named, the check uses the languages of the server. Throws if no
 * workflow can be created from the specification.
 */
export async function reportOn(
  document: unknown,
  place?: SpecificationPlace,
  server?: NamedServer,
  { dataFolder }: SettingOptions = {},
): Promise<SpecificationReport> {
  const snakemake = maybeSnakemake({
    snakemake: undefined,
    ...(typeof dataFolder === "string" && { dataFolder }),
  });
  const engines = hostedEngines(snakemake ? [...ENGINES, snakemake] : ENGINES);
  const languages = new Set(server?.languages.filter(isLanguage) ?? engines.keys());
  const capabilities = { languages, backends: backendsOfMachine() };
  const host = server ? "The server" : "A server on this machine";
  const { specification, warnings } = checkDocument(
    { capabilities, host },
    { document, ...(place && { placeOf: (path: string) => place.placeOf(path) }) },
  );
  const faults = await findStartFaults({ engines }, "", specification);
  const engine = engines.get(specification.workflow.type);
  const found =
    engine?.readsDocuments && place && faults.length === 0
      ? await checkDocuments(engine.runtime, specification, { ...place, backends: capabilities.backends })
      : NOTHING_FOUND;
  const errors = [...faults, ...found.errors];
  return {
    errors,
    warnings: [...withoutSaid(warnings, errors), ...found.warnings],
    steps: stepsOf(specification),
    graph: found.graph,
    firstJobs: [],
  };
}

const NOTHING_FOUND = { errors: [], warnings: [], graph: { nodes: [], edges: [] } };

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
