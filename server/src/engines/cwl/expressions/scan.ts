/** A part of a text: plain text, or an expression `$(…)` or `${…}`. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "expression"; readonly source: string; readonly isBody: boolean };

export interface ScanOptions {
  /** v1.2: only `\$(`, `\${` and `\\` are escapes. Before: a backslash takes the next character as it is. */
  readonly escapes: "v1.0" | "v1.2";
}

/** Divides a text into parts. Adjacent plain texts are one part. */
export function scan(text: string, { escapes }: ScanOptions): readonly Part[] {
  const parts: Part[] = [];
  let plain = "";
  let at = 0;
  const endText = () => {
    if (plain !== "") parts.push({ kind: "text", text: plain });
    plain = "";
  };
  while (at < text.length) {
    const next = text[at + 1];
    if (text[at] === "\\") {
      const escaped = escapedAt(text, at, escapes);
      plain += escaped.text;
      at = escaped.end;
    } else if (text[at] === "$" && (next === "(" || next === "{")) {
      const end = closingAt(text, at + 1);
      if (end === undefined) {
        plain += text.slice(at);
        break;
      }
      endText();
      parts.push({ kind: "expression", source: text.slice(at + 2, end), isBody: next === "{" });
      at = end + 1;
    } else {
      plain += text[at];
      at += 1;
    }
  }
  endText();
  return parts;
}

function escapedAt(text: string, at: number, escapes: ScanOptions["escapes"]): { text: string; end: number } {
  const next = text[at + 1] ?? "";
  if (escapes === "v1.0") return { text: next, end: at + 2 };
  if (next === "\\") return { text: "\\", end: at + 2 };
  const start = text.slice(at + 1, at + 3);
  if (start === "$(" || start === "${") return { text: start, end: at + 3 };
  return { text: `\\${next}`, end: at + 2 };
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" };

/** Returns the position at which the bracket at `start` is closed, outside of quotes. */
function closingAt(text: string, start: number): number | undefined {
  const open = text[start]!;
  const close = CLOSING[open];
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '"' || character === "'") {
      const end = quoteEnd(text, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (character === "\\") at += 1;
    else if (character === open) depth += 1;
    else if (character === close && (depth -= 1) === 0) return at;
  }
  return undefined;
}

function quoteEnd(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === text[start]) return at;
  }
  return undefined;
}
