import { csvDifference } from "#plumbing/equivalence/csv-numbers";
import { isSameAfterGzipHeader } from "#plumbing/equivalence/gzip-header";
import { jsonDifference } from "#plumbing/equivalence/json-values";
import { notebookDifference } from "#plumbing/equivalence/notebook";
import { hasSamePixels } from "#plumbing/equivalence/png-pixels";
import { hasSameEntries } from "#plumbing/equivalence/zip-entries";

/** The rules by which two files with different bytes have the same content. */
export const RULES = [
  "png-pixels",
  "gzip-header",
  "zip-order",
  "notebook",
  "json-values",
  "csv-numbers",
] as const;
export type Rule = (typeof RULES)[number];

export interface Equivalence {
  readonly rule: Rule;
  /** Largest relative difference of two numbers. 0 if all numbers are equal. */
  readonly difference: number;
}

/**
 * Numbers count as equal if their relative difference is at most this. Sums in another order stay below it, and two times
 * of day in seconds, a hundredth of a second apart, do not.
 */
export const TOLERANCE = 1e-12;

/** Larger files are compared byte by byte alone. */
export const COMPARED_MAX_BYTES = 32 * 2 ** 20;
/** Larger trees would need too much memory. */
const TREE_MAX_BYTES = 2 * 2 ** 20;

type Compare = (a: Buffer, b: Buffer, tolerance: number) => number | undefined;

interface Method {
  readonly rule: Rule;
  readonly ending: RegExp;
  readonly compare: Compare;
}

const METHODS: readonly Method[] = [
  { rule: "png-pixels", ending: /\.png$/i, compare: exactly(hasSamePixels) },
  { rule: "gzip-header", ending: /\.(gz|tgz|svgz)$/i, compare: exactly(isSameAfterGzipHeader) },
  { rule: "zip-order", ending: /\.(zip|npz|jar|whl)$/i, compare: exactly(hasSameEntries) },
  { rule: "notebook", ending: /\.ipynb$/i, compare: onTexts(notebookDifference, TREE_MAX_BYTES) },
  { rule: "json-values", ending: /\.json$/i, compare: onTexts(jsonDifference, TREE_MAX_BYTES) },
  { rule: "csv-numbers", ending: /\.(csv|tsv)$/i, compare: onTexts(csvDifference, COMPARED_MAX_BYTES) },
];

/**
 * Returns the rule by which two files with one name are equivalent. Undefined if the files differ. The name chooses the
 * rule.
 */
export function maybeEquivalence(
  name: string,
  a: Buffer,
  b: Buffer,
  tolerance = TOLERANCE,
): Equivalence | undefined {
  const method = METHODS.find(({ ending }) => ending.test(name));
  const difference = method?.compare(a, b, tolerance);
  return method && difference !== undefined ? { rule: method.rule, difference } : undefined;
}

function exactly(isSame: (a: Buffer, b: Buffer) => boolean): Compare {
  return (a, b) => (isSame(a, b) ? 0 : undefined);
}

function onTexts(
  compare: (a: string, b: string, tolerance: number) => number | undefined,
  maxBytes: number,
): Compare {
  return (a, b, tolerance) => {
    if (Math.max(a.length, b.length) > maxBytes) return undefined;
    const [one, other] = [maybeText(a), maybeText(b)];
    return one === undefined || other === undefined ? undefined : compare(one, other, tolerance);
  };
}

/** Returns undefined for bytes that are not UTF-8: replacing them could make different texts equal. */
function maybeText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
