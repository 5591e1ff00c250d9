import { pythonRepr } from "#plumbing/formats/python-text";

/** Limits for a value from outside, because the message goes into responses and logs. */
const BOUNDS = { maxTextLength: 200, maxItems: 8, maxDepth: 4 };

/** Formats a value as REANA's messages do: `'10'`, `True`, `{'a': None}`. */
export function shownValue(value: unknown): string {
  return pythonRepr(value, BOUNDS);
}
