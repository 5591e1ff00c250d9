import type { Language } from "#workflow/language";
import { KEEP } from "#workflow/specification/option-warnings";
import { isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { declaredPaths } from "#workflow/specification/declared-paths";

/**
 * Modes of keeping files. `all`: everything. `outputs`: when the run has finished, its files are removed,
 * except declared inputs and outputs. A failed or stopped run keeps everything, because a restart takes the
 * files over.
 */
const KEEP_WORDS = ["all", "outputs"] as const;

/** The parts of a run's request that decide which files are kept. */
export interface KeepRequest {
  readonly specification: Specification;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Returns whether a run removes its intermediate files. The start option takes precedence over the
 * specification.
 */
export function keepsOutputsOnly({ specification, options }: KeepRequest): boolean {
  return placesOf(specification, options).find(({ value }) => value !== undefined)?.value === "outputs";
}

interface KeepProblem {
  readonly path: string;
  readonly message: string;
}

/** Returns what makes the choice impossible: an unknown word, or no outputs to keep. */
export function* keepProblems({ specification, options }: KeepRequest): Generator<KeepProblem> {
  for (const { path, value } of placesOf(specification, options)) {
    if (value === undefined || KEEP_WORDS.some((word) => word === value)) continue;
    const words = KEEP_WORDS.join(", ");
    yield { path, message: `${path} is ${JSON.stringify(value)}; it must be one of: ${words}.` };
  }
  const hasOutputs = specification.workflow.type === "cwl" || declaredPaths(specification).outputs.length > 0;
  if (hasOutputs || !keepsOutputsOnly({ specification, options })) return;
  yield {
    path: "outputs",
    message:
      "The run is to keep its outputs only, and the specification declares none: everything that it makes would be " +
      "removed. Declare the files to keep under outputs, or leave out keep: outputs.",
  };
}

function placesOf({ inputs, workspace }: Specification, options: KeepRequest["options"]) {
  const inSpecification: unknown = inputs?.options;
  return [
    { path: `options.${KEEP}`, value: options[KEEP] },
    { path: `inputs.options.${KEEP}`, value: isObject(inSpecification) ? inSpecification[KEEP] : undefined },
    { path: `workspace.${KEEP}`, value: isObject(workspace) ? workspace[KEEP] : undefined },
  ];
}

/** Folders with the records of an engine, which a restart reads, and Snakemake's report. */
export function engineFiles(language: Language, { specification, options }: KeepRequest): string[] {
  if (language === "yadage") return ["_yadage"];
  if (language !== "snakemake") return [];
  const inSpecification: unknown = specification.inputs?.options;
  const { report } = { ...(isObject(inSpecification) && inSpecification), ...options };
  return [".snakemake", typeof report === "string" && report !== "" ? report : "report.html"];
}

/**
 * Returns the paths in the outputs that the engine of a CWL run has reported. Engines of other languages report no files,
 * or the files of all steps.
 */
export function reportedOutputs(language: Language, outputs: unknown): string[] {
  return language === "cwl" ? textsIn(outputs) : [];
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
