import { Refusal } from "#plumbing/errors";
import { findJsonFault } from "#plumbing/formats/json-fault";
import { lineAndColumn } from "#plumbing/formats/line-and-column";

/** Deeper than any document that people or programs write, and shallow enough to walk by recursion. */
export const MAX_JSON_DEPTH = 100;
/** A bound on the cost of later walks, for a text of any size. */
const MAX_JSON_VALUES = 1_000_000;

/**
 * Parses JSON from outside. Refuses with a sentence text that is not JSON (with line and column), text that is nested
 * too deeply, and the key `__proto__`. No honest document has that key, and it changes an object's nature when it is
 * copied carelessly.
 */
export function parseJson(text: string, what = "The body"): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const fault = findJsonFault(text);
    const { line, column } = lineAndColumn(text, fault.position);
    const sentence = `${what} is not valid JSON: ${fault.reason} at line ${line}, column ${column}.`;
    throw new Refusal("malformed", sentence, { cause: error });
  }
  const problem = findJsonProblem(value);
  if (problem !== undefined) throw new Refusal("malformed", `${what} ${problem}.`);
  return value;
}

/** Parses JSON from a source whose mistakes need no explanation. Returns undefined if the text is not JSON. */
export function maybeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns why a value cannot be kept as JSON or is not safe to walk, as the end of a sentence, or undefined.
 * Walks depth first, so that the depth limit catches cycles.
 */
export function findJsonProblem(value: unknown): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  for (let seen = 0; ; seen += 1) {
    const next = open.pop();
    if (next === undefined) return undefined;
    if (seen >= MAX_JSON_VALUES) return `holds more than ${MAX_JSON_VALUES} values`;
    if (typeof next.value !== "object" || next.value === null) {
      if (!isJsonScalar(next.value)) return "contains values that cannot be represented as JSON";
      continue;
    }
    if (next.depth >= MAX_JSON_DEPTH) return `is nested more than ${MAX_JSON_DEPTH} levels deep`;
    if (!isPlain(next.value)) return "contains values that cannot be represented as JSON";
    if (Object.hasOwn(next.value, "__proto__")) return 'holds the key "__proto__", which is not allowed';
    for (const child of Object.values(next.value)) open.push({ value: child, depth: next.depth + 1 });
  }
}

function isJsonScalar(value: unknown): boolean {
  return (
    value === null ||
    typeof value === "string" ||
    typeof value === "boolean" ||
    (typeof value === "number" && Number.isFinite(value))
  );
}

function isPlain(value: object): boolean {
  // `Object.values` leaves out the holes of a sparse array and the symbol keys of an object: neither is JSON.
  if (Array.isArray(value)) return Object.keys(value).length === value.length;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null) && Object.getOwnPropertySymbols(value).length === 0
  );
}
