import { numberDifference } from "#plumbing/equivalence/number-texts";

/** A separator with the quotes and spaces around it. Splitting with a group keeps the separators. */
const SEPARATOR = /(["\t,; \r]+)/;

/**
 * Returns the largest relative difference of two tables of which only numbers differ. Undefined if anything else differs,
 * or a number by more than the tolerance.
 */
export function csvDifference(a: string, b: string, tolerance: number): number | undefined {
  const [linesOfA, linesOfB] = [a.split("\n"), b.split("\n")];
  if (linesOfA.length !== linesOfB.length) return undefined;
  let largest = 0;
  for (const [index, line] of linesOfA.entries()) {
    const difference = lineDifference(line, linesOfB[index]!, tolerance);
    if (difference === undefined) return undefined;
    largest = Math.max(largest, difference);
  }
  return largest;
}

function lineDifference(a: string, b: string, tolerance: number): number | undefined {
  if (a === b) return 0;
  const [partsOfA, partsOfB] = [a.split(SEPARATOR), b.split(SEPARATOR)];
  if (partsOfA.length !== partsOfB.length) return undefined;
  let largest = 0;
  for (const [index, part] of partsOfA.entries()) {
    const difference = numberDifference(part, partsOfB[index]!, tolerance);
    if (difference === undefined) return undefined;
    largest = Math.max(largest, difference);
  }
  return largest;
}
