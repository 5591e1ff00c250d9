import { maybeAt, pointerOf } from "#plumbing/formats/json-pointer";

/** A reference to a part of a node's published result. Resolving the reference adds an edge to the graph. */
export interface Reference {
  readonly [REFERENCE]: { readonly node: number; readonly pointer: string };
}

/** A key that never occurs in documents by accident. */
const REFERENCE = "\uE001output";

export function reference(node: number, pointer: string): Reference {
  return { [REFERENCE]: { node, pointer } };
}

function isReference(value: unknown): value is Reference {
  return typeof value === "object" && value !== null && Object.hasOwn(value, REFERENCE);
}

/** Replaces each leaf. `null` and `false` stay, because Yadage finds leaves with jq, which skips both values. */
export function mapLeaves(
  value: unknown,
  change: (leaf: unknown, path: readonly (string | number)[]) => unknown,
  path: readonly (string | number)[] = [],
): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown, index) => mapLeaves(item, change, [...path, index]));
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, item]: [string, unknown]) => [
      key,
      mapLeaves(item, change, [...path, key]),
    ]);
    return Object.fromEntries(entries) as unknown;
  }
  return path.length > 0 && (value === null || value === false) ? value : change(value, path);
}

/** Returns a result with each leaf replaced by a reference. */
export function referencesTo(node: number, result: unknown): unknown {
  return mapLeaves(result, (_leaf, path) => reference(node, pointerOf(path)));
}

/** Replaces references by their values, and adds the referenced nodes to `used`. */
export function resolveReferences(
  value: unknown,
  resultOf: (node: number) => unknown,
  used: Set<number>,
): unknown {
  if (isReference(value)) {
    const { node, pointer } = value[REFERENCE];
    used.add(node);
    return maybeAt(resultOf(node), pointer);
  }
  if (Array.isArray(value)) return value.map((item: unknown) => resolveReferences(item, resultOf, used));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => [
    key,
    resolveReferences(item, resultOf, used),
  ]);
  return Object.fromEntries(entries) as unknown;
}
