import { isRemote, maybePathOf } from "#workflow/specification/remote-inputs";
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

/** Returns the declared files, folders and patterns that a client sends: those that the server fetches are left out. */
export function localPathsIn(section: unknown): string[] {
  return [...localTextsAt(section, "files"), ...localTextsAt(section, "directories")];
}

/** Returns the entries of a section that a client sends. */
export function localTextsAt(section: unknown, key: "files" | "directories"): string[] {
  return entriesAt(section, key).flatMap((entry) => (isText(entry) && !isRemote(entry) ? [entry] : []));
}

/** Returns the path of each entry. Fields are kept as given, with a warning, and may hold anything. */
function textsAt(section: unknown, key: "files" | "directories"): string[] {
  return entriesAt(section, key).flatMap((entry) => maybePathOf(entry, key) ?? []);
}

function entriesAt(section: unknown, key: "files" | "directories"): unknown[] {
  if (!isObject(section) || !Object.hasOwn(section, key)) return [];
  return [section[key]].flat();
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
