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

/** Returns the values that differ from the declared ones. A value that was a number or a list is read as one again. */
export function changedValues(declared: Declared, texts: Texts): Readonly<Record<string, unknown>> {
  const changed = Object.entries(texts).filter(([name, text]) => text !== textOf(declared[name]));
  return Object.fromEntries(changed.map(([name, text]) => [name, valueOf(text, declared[name])]));
}

/** Reads a text as the kind of value that it replaces: what was a text stays one. */
export function valueOf(text: string, before: unknown): unknown {
  if (typeof before === "string") return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
