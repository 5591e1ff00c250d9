/** A number in decimal notation with a point or an exponent. */
const MEASURED = /^[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?$/;
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

/**
 * Returns the relative difference of two numbers in their spelling, or undefined if they are not close. Two whole numbers
 * must be equal: they are counts, years or identifiers, however large.
 */
export function numberDifference(a: string, b: string, tolerance: number): number | undefined {
  if (a === b) return 0;
  if (!NUMBER.test(a) || !NUMBER.test(b) || !(MEASURED.test(a) || MEASURED.test(b))) return undefined;
  const [one, other] = [Number(a), Number(b)];
  if (!Number.isFinite(one) || !Number.isFinite(other)) return undefined;
  const difference = one === other ? 0 : Math.abs(one - other) / Math.max(Math.abs(one), Math.abs(other));
  return difference <= tolerance ? difference : undefined;
}
