/** The declarations of a specification. Malformed parts are ignored here and refused by the server. */
export interface Declared {
  readonly inputFiles: readonly string[];
  readonly inputFolders: readonly string[];
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Files, folders and patterns. */
  readonly outputs: readonly string[];
}

export function declaredIn(specification: unknown): Declared {
  const inputs = objectAt(specification, "inputs");
  const outputs = objectAt(specification, "outputs");
  return {
    inputFiles: textsAt(inputs, "files"),
    inputFolders: textsAt(inputs, "directories"),
    parameters: objectAt(inputs, "parameters"),
    outputs: [...textsAt(outputs, "files"), ...textsAt(outputs, "directories")],
  };
}

function objectAt(value: unknown, key: string): Record<string, unknown> {
  const inner = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(inner) ? inner : {};
}

function textsAt(object: Record<string, unknown>, key: string): string[] {
  const list = Object.hasOwn(object, key) ? object[key] : undefined;
  return Array.isArray(list) ? list.filter((entry) => typeof entry === "string") : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
