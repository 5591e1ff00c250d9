import { localTextsAt, pathsIn } from "#workflow/specification/declared-paths";
import { isObject } from "#workflow/specification/shape";

/** The declarations of a specification. Malformed parts are ignored here and refused by the server. */
export interface Declared {
  readonly inputFiles: readonly string[];
  readonly inputFolders: readonly string[];
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Files, folders and patterns. */
  readonly outputs: readonly string[];
}

export function declaredIn(specification: unknown): Declared {
  const { inputs, outputs } = isObject(specification) ? specification : {};
  const parameters = isObject(inputs) ? inputs["parameters"] : undefined;
  return {
    inputFiles: localTextsAt(inputs, "files"),
    inputFolders: localTextsAt(inputs, "directories"),
    parameters: isObject(parameters) ? parameters : {},
    outputs: pathsIn(outputs),
  };
}
