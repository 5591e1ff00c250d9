import { UsageError } from "#cli/failure";

/**
 * `--param name=value`: the name must be declared, and the value is what the declared one is. A text stays a text, so
 * that `--param version=1.10` is not cut to 1.1; what is declared as a number, a truth value or a list is read as JSON.
 */
export function readParameters(
  given: readonly string[],
  declared: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const pairs = given.map((text) => splitPair("--param", text));
  const repeated = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) < index);
  if (repeated) throw new UsageError(`--param ${repeated[0]} was given twice. Give it once.`);
  return Object.fromEntries(pairs.map(([name, text]) => [name, valueOf(name, text, declared)]));
}

/** At the first `=`, because values may hold more of them. */
export function splitPair(option: string, text: string): [name: string, value: string] {
  const cut = text.indexOf("=");
  if (cut < 1) throw new UsageError(`${option} ${text} has no value: write ${option} name=value.`);
  return [text.slice(0, cut), text.slice(cut + 1)];
}

export function valueOf(name: string, text: string, declared: Readonly<Record<string, unknown>>): unknown {
  if (!Object.hasOwn(declared, name)) throw undeclared(name, declared);
  const model = declared[name];
  if (typeof model === "string" || model === null) return text;
  const value = maybeJson(text);
  if (value !== undefined && kindOf(value) === kindOf(model)) return value;
  throw new UsageError(
    `--param ${name}=${text}: the specification declares ${name} as ${kindOf(model)} (${JSON.stringify(model)}). ` +
      "Give one of that kind.",
  );
}

function undeclared(name: string, declared: Readonly<Record<string, unknown>>): UsageError {
  const names = Object.keys(declared).toSorted();
  const known = names.length === 0 ? "It declares none." : `It declares: ${names.join(", ")}.`;
  return new UsageError(
    `The specification declares no parameter "${name}" under inputs.parameters. ${known}`,
  );
}

function maybeJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return typeof value === "boolean" ? "true or false" : `a ${typeof value}`;
}
