import { isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";

/** Files, folders and patterns that a specification names, as it names them. */
export interface DeclaredPaths {
  /** Its inputs, and what the workflow itself is read from: a restart needs both. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

export function declaredPaths(specification: Specification): DeclaredPaths {
  const { workflow, inputs, outputs } = specification;
  return {
    inputs: [...pathsIn(inputs), ...pathsIn(workflow), ...[workflow.file].filter(isText)],
    outputs: pathsIn(outputs),
  };
}

/** Fields are kept as they were given, with a warning: they may hold anything. */
function pathsIn(section: unknown): string[] {
  if (!isObject(section)) return [];
  return [section.files, section.directories].flat().filter(isText);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
