import { maybeJson } from "#plumbing/formats/json";

/**
 * Reads `name=value` pairs, as typed by a user, for the parameters that a specification declares. A value has the type
 * of the declared one. A text stays a text, so that `version=1.10` is not cut to 1.1. A number, a boolean, a list or an
 * object is read as JSON. Throws a `ParameterProblem`.
 */
export function readParameters(
  given: readonly string[],
  declared: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const pairs = given.map(splitPair);
  const repeated = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) < index);
  if (repeated)
    throw new ParameterProblem(
      `The parameter ${repeated[0]} was given twice. Give it once, or use --sweep of \`reprise run\` for several values.`,
    );
  return Object.fromEntries(pairs.map(([name, text]) => [name, valueOf(name, text, declared)]));
}

/** A sentence for the user who typed the parameter. */
export class ParameterProblem extends Error {}

/** Splits at the first `=`, because values may hold more of them. */
export function splitPair(text: string): [name: string, value: string] {
  const cut = text.indexOf("=");
  if (cut < 1) throw new ParameterProblem(`"${text}" is no parameter with a value. Write it as name=value.`);
  return [text.slice(0, cut), text.slice(cut + 1)];
}

function valueOf(name: string, text: string, declared: Readonly<Record<string, unknown>>): unknown {
  if (!Object.hasOwn(declared, name)) throw undeclared(name, declared);
  const model = declared[name];
  if (typeof model === "string" || model === null) return text;
  const value = maybeJson(text);
  if (value !== undefined && kindOf(value) === kindOf(model)) return value;
  throw new ParameterProblem(
    `${name} must be ${kindOf(model)} (the specification has ${JSON.stringify(model)}), not "${text}".`,
  );
}

function undeclared(name: string, declared: Readonly<Record<string, unknown>>): ParameterProblem {
  const names = Object.keys(declared).toSorted();
  const known = names.length === 0 ? "It declares none." : `It declares: ${names.join(", ")}.`;
  return new ParameterProblem(
    `The specification declares no parameter "${name}" under inputs.parameters. ${known}`,
  );
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return typeof value === "boolean" ? "true or false" : `a ${typeof value}`;
}
