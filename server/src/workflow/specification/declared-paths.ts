import { isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";

/** Files, folders and patterns that a specification declares, as it spells them. */
export interface DeclaredPaths {
  /** The declared inputs, and the files of the workflow itself: a restart needs both. */
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

/** Filters for texts: fields are kept as given, with a warning, and may hold anything. */
function pathsIn(section: unknown): string[] {
  if (!isObject(section)) return [];
  return [section.files, section.directories].flat().filter(isText);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
