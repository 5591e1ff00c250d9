/**
 * The place at which a text stops being JSON, and the reason. The runtime's own message has no position in some cases
 * (a wrong first letter, an early end), quotes parts of the text, and differs between versions. A user needs the place
 * and a reason.
 */
export interface JsonFault {
  readonly position: number;
  /** The end of a sentence that starts with "is not valid JSON:". */
  readonly reason: string;
}

/**
 * The tokens that may come next. `key-or-end` and `value-or-end` follow an opening bracket, `key` and `value` a comma.
 */
type Expected = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end" | "nothing";

const REASONS: Readonly<Record<Expected, string>> = {
  value: "expected a value",
  "value-or-end": 'expected a value or "]"',
  key: "expected a key in double quotes",
  "key-or-end": 'expected a key in double quotes or "}"',
  colon: 'expected ":" after the key',
  "comma-or-end": "expected a comma or the closing bracket",
  nothing: "expected nothing more after the value",
};

const TOKEN = /[[\]{}:,]|true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;

/** Finds the first fault of a text that is known not to be JSON. */
export function findJsonFault(text: string): JsonFault {
  const open: string[] = [];
  let expected: Expected = "value";
  for (let position = skipSpace(text, 0); position < text.length;) {
    const end = text[position] === '"' ? endOfString(text, position) : endOfToken(text, position);
    if (typeof end === "object") return end;
    const next: Expected | undefined =
      end === undefined ? undefined : after(expected, text.slice(position, end), open);
    if (end === undefined || next === undefined) return { position, reason: REASONS[expected] };
    expected = next;
    position = skipSpace(text, end);
  }
  const isEmpty = skipSpace(text, 0) === text.length;
  return {
    position: text.length,
    reason: isEmpty ? "it is empty" : `it ends too early, ${REASONS[expected]}`,
  };
}

/**
 * Returns what may follow `token`, or undefined if the token is not allowed here. Updates `open`, the stack
 * of open brackets.
 */
function after(expected: Expected, token: string, open: string[]): Expected | undefined {
  const takesValue = expected === "value" || expected === "value-or-end";
  switch (token) {
    case "{":
    case "[":
      if (!takesValue) return undefined;
      open.push(token);
      return token === "{" ? "key-or-end" : "value-or-end";
    case "}":
    case "]": {
      const mayEnd =
        expected === "comma-or-end" || expected === (token === "}" ? "key-or-end" : "value-or-end");
      if (!mayEnd || open.pop() !== (token === "}" ? "{" : "[")) return undefined;
      return open.length === 0 ? "nothing" : "comma-or-end";
    }
    case ":":
      return expected === "colon" ? "value" : undefined;
    case ",":
      if (expected !== "comma-or-end") return undefined;
      return open.at(-1) === "{" ? "key" : "value";
  }
  if (token.startsWith('"') && (expected === "key" || expected === "key-or-end")) return "colon";
  if (!takesValue) return undefined;
  return open.length === 0 ? "nothing" : "comma-or-end";
}

function endOfToken(text: string, position: number): number | undefined {
  TOKEN.lastIndex = position;
  return TOKEN.test(text) ? TOKEN.lastIndex : undefined;
}

/**
 * Returns the end of a string. It loops instead of using one pattern: a string can be as long as the body, and patterns
 * can exhaust the stack.
 */
function endOfString(text: string, start: number): number | JsonFault {
  for (let position = start + 1; position < text.length;) {
    const letter = text[position]!;
    if (letter === '"') return position + 1;
    if (letter < " ") return { position, reason: "a line break or control character in a string" };
    ESCAPE.lastIndex = position;
    if (letter === "\\" && !ESCAPE.test(text)) return { position, reason: "an unknown escape in a string" };
    position = letter === "\\" ? ESCAPE.lastIndex : position + 1;
  }
  return { position: start, reason: "a string without its closing quote" };
}

function skipSpace(text: string, from: number): number {
  let position = from;
  while (position < text.length && " \t\n\r".includes(text[position]!)) position += 1;
  return position;
}
