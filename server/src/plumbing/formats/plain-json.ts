import { findJsonProblem } from "#plumbing/formats/json";

/** The strings of a JSON text. The capture is the colon after a key. */
const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

/**
 * Parses a text that may be JSON and has to be judged as YAML otherwise. Returns undefined if the text is not
 * JSON, or contains something that YAML refuses, such as a duplicate key. YAML 1.2 has the same values for
 * any other JSON text, and its parser takes a hundred times as long.
 */
export function maybePlainJson(text: string): { readonly value: unknown } | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (findJsonProblem(value) !== undefined || keysOf(value) !== keysIn(text)) return undefined;
  return { value };
}

function keysIn(text: string): number {
  let count = 0;
  for (const [, colon] of text.matchAll(STRINGS)) if (colon !== undefined) count += 1;
  return count;
}

function keysOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const children = Object.values(value) as unknown[];
  const own = Array.isArray(value) ? 0 : children.length;
  return children.reduce<number>((sum, child) => sum + keysOf(child), own);
}
