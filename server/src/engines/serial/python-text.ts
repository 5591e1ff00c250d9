/**
 * `str()` and `repr()` of Python for JSON values: REANA expands parameters in Python, and existing analyses rely on
 * how it prints them (`True`, `None`, `[1, 'a']`).
 */
export function pythonStr(value: unknown): string {
  return typeof value === "string" ? value : pythonRepr(value);
}

function pythonRepr(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "number") return pythonNumber(value);
  if (typeof value === "string") return pythonQuoted(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(", ")}]`;
  const entries = Object.entries(value as Record<string, unknown>);
  return `{${entries.map(([key, item]) => `${pythonQuoted(key)}: ${pythonRepr(item)}`).join(", ")}}`;
}

/** JSON does not tell `1.0` from `1` once it is parsed, so a whole number prints as an integer. */
function pythonNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return BigInt(value).toString();
  const text = String(value);
  const [mantissa, exponent] = text.split("e");
  if (exponent === undefined) return smallAsPython(value, text);
  const sign = exponent.startsWith("-") ? "-" : "+";
  return `${mantissa}e${sign}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
}

/** Python changes to the exponent below 0.0001, JavaScript only below 0.000001. */
function smallAsPython(value: number, text: string): string {
  if (Math.abs(value) >= 1e-4) return text;
  const [mantissa, exponent] = value.toExponential().split("e-");
  return `${mantissa}e-${exponent!.padStart(2, "0")}`;
}

function pythonQuoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let quoted = quote;
  for (const character of text) quoted += escaped(character, quote);
  return quoted + quote;
}

function escaped(character: string, quote: string): string {
  if (character === quote || character === "\\") return `\\${character}`;
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  const code = character.codePointAt(0)!;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, "0")}`;
  return character;
}
