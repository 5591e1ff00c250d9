const MAX_TEXT = 200;
const MAX_ITEMS = 8;
const MAX_DEPTH = 4;

/**
 * A value as Python prints it, which is how REANA's messages show what they found: `'10'`, `True`, `{'a': None}`.
 * Bounded in every direction, for the value comes from outside and the message goes into answers and logs.
 */
export function pythonRepr(value: unknown, depth = 0): string {
  switch (typeof value) {
    case "string":
      return quoted(value);
    case "boolean":
      return value ? "True" : "False";
    case "number":
      return String(value);
    case "object":
      return value === null ? "None" : reprOfCollection(value, depth);
    default:
      return "None";
  }
}

function reprOfCollection(value: object, depth: number): string {
  const entries = Array.isArray(value) ? (value as readonly unknown[]) : Object.keys(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (depth >= MAX_DEPTH && entries.length > 0) return `${open}…${close}`;
  const shown = entries.slice(0, MAX_ITEMS).map((entry) => {
    if (Array.isArray(value)) return pythonRepr(entry, depth + 1);
    const key = entry as string;
    return `${quoted(key)}: ${pythonRepr((value as Record<string, unknown>)[key], depth + 1)}`;
  });
  if (entries.length > MAX_ITEMS) shown.push("…");
  return `${open}${shown.join(", ")}${close}`;
}

function quoted(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  const quote = cut.includes("'") && !cut.includes('"') ? '"' : "'";
  const escaped = cut
    .replaceAll("\\", "\\\\")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t")
    .replaceAll(quote, `\\${quote}`)
    .replace(/\p{Cc}/gu, (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `${quote}${escaped}${quote}`;
}
