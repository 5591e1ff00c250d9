/**
 * Formats a JSON value as Python's `str()` and `repr()` do (`True`, `None`, `[1, 'a']`). REANA expands
 * parameters in Python, and existing analyses rely on the format; its messages also use the format.
 */
export function pythonStr(value: unknown): string {
  return typeof value === "string" ? value : pythonRepr(value);
}

/** Formats a JSON value as Python's `json.dumps()` does: spaces after commas and colons, and letters beyond ASCII escaped. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => `${pythonJson(key)}: ${pythonJson(item)}`);
    return `{${entries.join(", ")}}`;
  }
  if (typeof value === "number") return pythonNumber(value);
  return (JSON.stringify(value) ?? "null").replaceAll(/[\u007f-\uffff]/g, unicodeEscape);
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Limits on the shown part of a value: the rest becomes `…`. */
export interface ReprBounds {
  readonly maxTextLength: number;
  readonly maxItems: number;
  readonly maxDepth: number;
}

const UNBOUNDED: ReprBounds = { maxTextLength: Infinity, maxItems: Infinity, maxDepth: Infinity };

export function pythonRepr(value: unknown, bounds: ReprBounds = UNBOUNDED, depth = 0): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "number") return pythonNumber(value);
  if (typeof value === "string") return pythonQuoted(value, bounds);
  return reprOfCollection(value, bounds, depth);
}

function reprOfCollection(value: object, bounds: ReprBounds, depth: number): string {
  const isList = Array.isArray(value);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const items: readonly unknown[] = isList ? value : Object.keys(value);
  if (depth >= bounds.maxDepth && items.length > 0) return `${open}…${close}`;
  const shown = items.slice(0, bounds.maxItems).map((item) => {
    if (isList) return pythonRepr(item, bounds, depth + 1);
    const key = item as string;
    const text = pythonRepr((value as Record<string, unknown>)[key], bounds, depth + 1);
    return `${pythonQuoted(key, bounds)}: ${text}`;
  });
  if (items.length > bounds.maxItems) shown.push("…");
  return `${open}${shown.join(", ")}${close}`;
}

/** Formats a number. Parsed JSON does not tell `1.0` from `1`, so a whole number prints as an integer. */
function pythonNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return BigInt(value).toString();
  const text = String(value);
  const [mantissa, exponent] = text.split("e");
  if (exponent === undefined) return smallAsPython(value, text);
  const sign = exponent.startsWith("-") ? "-" : "+";
  return `${mantissa}e${sign}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
}

/** Formats a small number: Python uses the exponent below 0.0001, JavaScript only below 0.000001. */
function smallAsPython(value: number, text: string): string {
  if (Math.abs(value) >= 1e-4) return text;
  const [mantissa, exponent] = value.toExponential().split("e-");
  return `${mantissa}e-${exponent!.padStart(2, "0")}`;
}

function pythonQuoted(text: string, { maxTextLength }: ReprBounds): string {
  const cut = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
  const quote = cut.includes("'") && !cut.includes('"') ? '"' : "'";
  let quoted = quote;
  for (const character of cut) quoted += escaped(character, quote);
  return quoted + quote;
}

function escaped(character: string, quote: string): string {
  if (character === quote || character === "\\") return `\\${character}`;
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  const code = character.codePointAt(0)!;
  if (/\p{Cc}/u.test(character)) return `\\x${code.toString(16).padStart(2, "0")}`;
  return character;
}
