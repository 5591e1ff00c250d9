import { type JsonTree, maybeJsonTree, treeDifference } from "#plumbing/equivalence/json-values";

/** Compares two notebooks by their values, without the execution counts of cells and of their outputs. */
export function notebookDifference(a: string, b: string, tolerance: number): number | undefined {
  const [one, other] = [maybeJsonTree(a), maybeJsonTree(b)];
  if (one === undefined || other === undefined) return undefined;
  return treeDifference(withoutCounts(one), withoutCounts(other), tolerance);
}

function withoutCounts(notebook: JsonTree): JsonTree {
  return withField(notebook, "cells", (cells) =>
    eachOf(cells, (cell) =>
      withField(withoutCount(cell), "outputs", (outputs) => eachOf(outputs, withoutCount)),
    ),
  );
}

function withoutCount(tree: JsonTree): JsonTree {
  if (!isFields(tree)) return tree;
  return new Map([...tree].filter(([key]) => key !== "execution_count"));
}

function withField(tree: JsonTree, field: string, change: (value: JsonTree) => JsonTree): JsonTree {
  if (!isFields(tree)) return tree;
  return new Map([...tree].map(([key, value]) => [key, key === field ? change(value) : value]));
}

function eachOf(tree: JsonTree, change: (item: JsonTree) => JsonTree): JsonTree {
  return Array.isArray(tree) ? (tree as readonly JsonTree[]).map(change) : tree;
}

function isFields(tree: JsonTree): tree is ReadonlyMap<string, JsonTree> {
  return tree instanceof Map;
}
