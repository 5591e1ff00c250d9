import { UsageError } from "#cli/failure";

const OPENING = "[{";
const CLOSING = "]}";

/**
 * Splits `1,2,3` at its commas, but not inside double quotes, brackets or braces: `"a,b",c` has two values,
 * and so has `[1,2],[3]`. A fully quoted value loses its quotes; inside the quotes, `""` is a quote.
 */
export function valuesIn(name: string, text: string): string[] {
  const values: string[] = [];
  let [start, depth, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (OPENING.includes(char)) depth += 1;
    else if (CLOSING.includes(char)) depth -= 1;
    else if (char === "," && depth === 0) {
      values.push(text.slice(start, at));
      start = at + 1;
    }
  }
  if (isQuoted || depth !== 0) throw unbalanced(name, text);
  return [...values, text.slice(start)].map(unquoted);
}

function unquoted(value: string): string {
  return /^".*"$/s.test(value) ? value.slice(1, -1).replaceAll('""', '"') : value;
}

function unbalanced(name: string, text: string): UsageError {
  return new UsageError(
    `--sweep ${name}=${text}: a quote or a bracket is open at the end. ` +
      'Write a value with commas in double quotes, as in x="a,b",c, and a quote inside them twice.',
  );
}
