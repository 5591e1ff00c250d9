/** A JSON object. */
export type Mapping = Readonly<Record<string, unknown>>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value under a key chosen by a document: `constructor` is not a key of an empty table. */
export function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Returns a list: a list as is, a single value wrapped, and null or undefined as an empty list. */
export function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

/** Returns JSON with sorted keys: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isMapping(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

/**
 * Writes a value inside a text like cwltool, because files with such texts must have the same checksums: sorted keys, a
 * space after each comma and colon, and only ASCII.
 */
export function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(", ")}]`;
  if (!isMapping(value)) return ascii(JSON.stringify(value ?? null));
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${ascii(JSON.stringify(key))}: ${jsonText(item)}`).join(", ")}}`;
}

function ascii(text: string): string {
  return text.replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
