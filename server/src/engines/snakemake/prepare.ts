import { type Documents, locationOf, type NeededDocument, type Preparation } from "#engines/documents";
import type { RunRequest } from "#engines/engine";
import type { Problem } from "#engines/problem";
import { reportProblems } from "#engines/snakemake/report-file";
import { cvmfsProblems } from "#engines/steps/container-demands";
import { Refusal } from "#plumbing/errors";
import { readYaml, warningSentences } from "#plumbing/formats/yaml";
import { isObject } from "#workflow/specification/shape";

/** The part of a Snakemake workflow known before Snakemake reads the Snakefile. */
export interface SnakemakeModel {
  /** The configuration that overrides the workflow's own configuration, or null. */
  readonly config: Readonly<Record<string, unknown>> | null;
  /** Warnings about the configuration, as sentences with places. */
  readonly warnings?: readonly string[];
}

const CONFIG_MAX_BYTES = 4 << 20;
const CONFIG_FILE = /\.(?:ya?ml|json)$/i;

/** Returns the problems found without the documents. */
export function problemsOf(request: RunRequest): readonly Problem[] {
  const { file } = request.specification.workflow;
  const path = "workflow.file";
  if (typeof file !== "string")
    return [{ path, message: "A Snakemake workflow needs workflow.file, the path of its Snakefile." }];
  const place = locationOf(file, null);
  const outside = place.ok ? [] : [{ path, message: place.reason }];
  return [...outside, ...reportProblems(request), ...cvmfsProblems(request.specification)];
}

/** Collects the Snakefile, which must exist, and the configuration named in the specification. */
export function prepareSnakemake(request: RunRequest, documents: Documents): Preparation {
  const problems = problemsOf(request);
  if (problems.length > 0) return { kind: "refused", problems };
  const { specification, parameters: given } = request;
  const needed = [documentAt(specification.workflow.file!, "workflow.file")];
  const configFile = configFileOf(request);
  if (configFile) needed.push(documentAt(configFile.path, configFile.named));
  if (needed.some(({ location }) => !Object.hasOwn(documents, location)))
    return { kind: "needs", documents: needed };
  const own = { ...specification.inputs?.parameters };
  if (!configFile) return ready({ ...own, ...given });
  const { location } = needed[1]!;
  const read = readConfig(documents[location]!, location);
  if ("problem" in read) return { kind: "refused", problems: [read.problem] };
  const { input: _, ...others } = own;
  const config = { ...read.config, ...(configFile.named === INPUT ? others : own), ...given };
  return ready(config, read.warnings);
}

function ready(config: Readonly<Record<string, unknown>>, warnings: readonly string[] = []): Preparation {
  const model: SnakemakeModel = {
    config: Object.keys(config).length > 0 ? config : null,
    ...(warnings.length > 0 && { warnings }),
  };
  return { kind: "ready", model };
}

const INPUT = "inputs.parameters.input";

/** Returns the configuration file, which REANA's clients put in the place of the parameters. */
function configFileOf({
  specification,
}: RunRequest): { readonly path: string; readonly named: string } | undefined {
  const { parameters } = specification.workflow;
  if (isObject(parameters) && typeof parameters.file === "string")
    return { path: parameters.file, named: "workflow.parameters.file" };
  const { input, ...others } = { ...specification.inputs?.parameters };
  const isAlone = Object.keys(others).length === 0;
  return isAlone && typeof input === "string" && CONFIG_FILE.test(input)
    ? { path: input, named: INPUT }
    : undefined;
}

function documentAt(path: string, named: string): NeededDocument {
  const place = locationOf(path, null);
  return { location: place.ok ? place.location : path, named: { path: named } };
}

interface Config {
  readonly config: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

function readConfig(text: string, file: string): Config | { readonly problem: Problem } {
  try {
    const document = readYaml(text, { maxBytes: CONFIG_MAX_BYTES, what: file });
    const warnings = warningSentences(document, file);
    if (document.value === null) return { config: {}, warnings };
    if (isObject(document.value)) return { config: document.value, warnings };
    return {
      problem: { path: INPUT, message: `The configuration ${file} is no mapping of names to values.` },
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { problem: { path: INPUT, message: error.message } };
  }
}
