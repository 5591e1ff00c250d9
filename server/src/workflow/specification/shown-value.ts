import { pythonRepr } from "#plumbing/python-text";

/** The value comes from outside, and the message goes into answers and logs. */
const BOUNDS = { maxTextLength: 200, maxItems: 8, maxDepth: 4 };

/** A value as REANA's messages show what they found: `'10'`, `True`, `{'a': None}`. */
export function shownValue(value: unknown): string {
  return pythonRepr(value, BOUNDS);
}
