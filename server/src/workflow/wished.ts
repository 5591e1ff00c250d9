/** Values without a wish. */
const NOTHING: ReadonlySet<unknown> = new Set([undefined, null, false, 0, "", "0", "false"]);

/** Returns whether the value of a key expresses a wish. */
export function isWished(value: unknown): boolean {
  return !NOTHING.has(value);
}
