import type { Faults } from "#workflow/specification/shape";
import {
  findInSteps,
  keysOf,
  listIn,
  nameAt,
  type ParsedStep,
  textsIn,
} from "#workflow/specification/step-parameters";

/** Matches `{input.data}` up to the end of the name. A format, a conversion, an index or an attribute may follow it. */
const USE = /\{(params|input|output)\.([^.[!:}]+)/g;

/**
 * Finds REANA's warnings about a Snakefile parsed by its client. An unparsed Snakefile is left to Snakemake.
 */
export function findSnakemakeWarnings(specification: unknown): Faults {
  const steps = listIn(specification, "steps").map(parsed);
  return findInSteps(steps, { language: "Snakemake", key: "steps" });
}

function parsed(step: Record<string, unknown>, index: number): ParsedStep {
  const commands = textsIn(step.commands);
  const inputs = keysOf(step.inputs).map((name) => `input.${name}`);
  const used = commands.flatMap((command) =>
    [...command.matchAll(USE)].map(([, kind, name]) => `${kind}.${name}`),
  );
  return {
    name: nameAt(step, index),
    commands,
    given: new Set([
      ...keysOf(step.params).map((name) => `params.${name}`),
      ...inputs,
      ...keysOf(step.outputs).map((name) => `output.${name}`),
    ]),
    // Named inputs express dependencies between rules. Such inputs count as used even if no command mentions
    // them.
    taken: new Set([...used, ...inputs]),
  };
}
