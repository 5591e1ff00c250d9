import { editsBetween, createNumbering } from "#plumbing/diff/edits";

/**
 * A place at which two JSON values differ. A value that exists on only one side is `undefined` on the other.
 */
export interface JsonDifference {
  /**
   * A path such as `steps[0].commands[1]`. Indexes refer to the second value, or to the first if the place
   * exists only there.
   */
  readonly path: string;
  readonly a: unknown;
  readonly b: unknown;
}

/**
 * Lists the differences of two JSON values, from the outside in. Objects are compared key by key, lists by
 * insertions, deletions and changes, so one inserted step does not make all later steps differ. The values
 * must come from `parseJson`, which bounds the depth.
 */
export function jsonDifferences(a: unknown, b: unknown): JsonDifference[] {
  return differences(identities(), a, b, "");
}

type JsonObject = Readonly<Record<string, unknown>>;
type IdentityOf = (value: unknown) => number;

function differences(identityOf: IdentityOf, a: unknown, b: unknown, path: string): JsonDifference[] {
  if (identityOf(a) === identityOf(b)) return [];
  if (Array.isArray(a) && Array.isArray(b)) return listDifferences(identityOf, a, b, path);
  if (isObject(a) && isObject(b)) return objectDifferences(identityOf, a, b, path);
  return [{ path, a, b }];
}

/**
 * Numbers values. Equal values get equal numbers, regardless of the order of keys. Each part is visited once.
 */
function identities(): IdentityOf {
  const numberOf = createNumbering();
  const known = new Map<object, number>();
  function identityOf(value: unknown): number {
    if (typeof value !== "object" || value === null) return numberOf(JSON.stringify(value) ?? "");
    const number = known.get(value) ?? numberOf(textOf(value));
    known.set(value, number);
    return number;
  }
  function textOf(value: object): string {
    if (Array.isArray(value)) return `[${value.map(identityOf).join()}]`;
    const entries = sortedEntries(value as JsonObject);
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${identityOf(inner)}`).join()}}`;
  }
  return identityOf;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sortedEntries(value: JsonObject): [key: string, inner: unknown][] {
  return Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function objectDifferences(
  identityOf: IdentityOf,
  a: JsonObject,
  b: JsonObject,
  path: string,
): JsonDifference[] {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  const below = (key: string) => (path === "" ? key : `${path}.${key}`);
  return keys.flatMap((key) => differences(identityOf, own(a, key), own(b, key), below(key)));
}

function own(value: JsonObject, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function listDifferences(
  identityOf: IdentityOf,
  a: readonly unknown[],
  b: readonly unknown[],
  path: string,
): JsonDifference[] {
  const edits = editsBetween(a.map(identityOf), b.map(identityOf));
  return edits.flatMap(({ aStart, aEnd, bStart, bEnd }) => {
    const count = Math.max(aEnd - aStart, bEnd - bStart);
    return Array.from({ length: count }, (_, offset) => {
      const [inA, inB] = [aStart + offset, bStart + offset];
      const place = `${path}[${inB < bEnd ? inB : inA}]`;
      const [one, other] = [inA < aEnd ? a[inA] : undefined, inB < bEnd ? b[inB] : undefined];
      return differences(identityOf, one, other, place);
    }).flat();
  });
}

/** Formats a value for people to compare: one line for each value, with sorted keys. */
export function jsonLines(value: unknown): string[] {
  if (value === undefined) return [];
  const sorted = (_key: string, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(sortedEntries(inner)) : inner;
  return JSON.stringify(value, sorted, 2).split("\n");
}
