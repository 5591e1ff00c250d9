export type Declared = Readonly<Record<string, unknown>>;
export type Texts = Readonly<Record<string, string>>;

/** Returns the parameters of a run with the values that it was, or would be, started with. */
export function declaredIn(definition: {
  readonly specification: object;
  readonly parameters: object;
}): Declared {
  const { inputs } = definition.specification as { inputs?: { parameters?: Declared } };
  return { ...inputs?.parameters, ...definition.parameters };
}

export function textsOf(declared: Declared): Texts {
  return Object.fromEntries(Object.entries(declared).map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the values that differ from the declared values, parsed as numbers or lists if declared so. */
export function changedValues(declared: Declared, texts: Texts): Readonly<Record<string, unknown>> {
  const changed = Object.entries(texts).filter(([name, text]) => text !== textOf(declared[name]));
  return Object.fromEntries(changed.map(([name, text]) => [name, valueOf(text, declared[name])]));
}

/** Parses a text as the type of the value it replaces: a string stays a string. */
export function valueOf(text: string, before: unknown): unknown {
  if (typeof before === "string") return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
