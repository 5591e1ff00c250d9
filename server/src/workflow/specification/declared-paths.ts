import { isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";

/** Declared files, folders and patterns, in the spelling of the specification. */
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

/** Returns the declared files, folders and patterns of a section (`inputs`, `outputs`), with files first. */
export function pathsIn(section: unknown): string[] {
  return [...textsAt(section, "files"), ...textsAt(section, "directories")];
}

/** Filters for texts: fields are kept as given, with a warning, and may hold anything. */
export function textsAt(section: unknown, key: "files" | "directories"): string[] {
  if (!isObject(section) || !Object.hasOwn(section, key)) return [];
  return [section[key]].flat().filter(isText);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
