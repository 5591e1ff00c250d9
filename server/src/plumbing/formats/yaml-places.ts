import { type Alias, isAlias, isMap, isScalar, isSeq, type Pair, type YAMLMap } from "yaml";

/** A place inside a document: keys of mappings and indexes of lists, from the outside in. */
export type DocumentPath = readonly (string | number)[];

/** Returns the target node of an alias. */
export type TargetOf = (alias: Alias) => unknown;

/**
 * Returns the position in the text of an entry of a mapping (its key) or of an item of a list. A value from
 * an alias or a merge key has the position of its definition. For a path that does not exist, returns the
 * position of its last existing part.
 */
export function positionIn(root: unknown, path: DocumentPath, targetOf: TargetOf): number {
  let position = positionOf(root);
  let node = root;
  for (const part of path) {
    const found = childOf(node, part, targetOf);
    if (!found) break;
    position = positionOf(found.at);
    node = found.node;
  }
  return position;
}

interface Child {
  /** The node whose position is reported for the child. */
  readonly at: unknown;
  readonly node: unknown;
}

function childOf(node: unknown, part: string | number, targetOf: TargetOf): Child | undefined {
  if (isAlias(node)) return childOf(targetOf(node), part, targetOf);
  if (isSeq(node)) {
    const item: unknown = node.items[Number(part)];
    return item === undefined ? undefined : { at: item, node: item };
  }
  return isMap(node) ? entryOf(node, String(part), targetOf) : undefined;
}

function entryOf(map: YAMLMap, key: string, targetOf: TargetOf): Child | undefined {
  const pair = map.items.findLast((one) => !isMergeKey(one) && keyText(one.key, targetOf) === key);
  if (pair) return { at: pair.key, node: pair.value };
  for (const { value } of map.items.filter(isMergeKey)) {
    const target = isAlias(value) ? targetOf(value) : value;
    for (const merged of isSeq(target) ? target.items : [target]) {
      const found = childOf(merged, key, targetOf);
      if (found) return found;
    }
  }
  return undefined;
}

function keyText(key: unknown, targetOf: TargetOf): string {
  if (isAlias(key)) return keyText(targetOf(key), targetOf);
  return String(isScalar(key) ? key.value : null);
}

export function isMergeKey(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.type === "PLAIN" && pair.key.value === "<<";
}

export function positionOf(node: unknown): number {
  return (node as { range?: readonly number[] } | null)?.range?.[0] ?? 0;
}
