/**
 * The parts of a line of output that a guide may leave open. `…` alone on a line stands for any number of lines, within
 * a line for any text. Durations, times of day, sizes of a KiB and more, and the width of columns differ from machine
 * to machine. Everything else is meant as it stands.
 */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/…/, ".*"],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?/, String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?`],
  [/\d+(?:\.\d+)? (?:KiB|MiB|GiB)/, String.raw`\d+(?:\.\d+)? (?:KiB|MiB|GiB)`],
  [/\d+(?:\.\d+)? (?:ms|s|min)(?![a-z])/, String.raw`(?:\d+ (?:min|h) )?\d+(?:\.\d+)? (?:ms|s|min)`],
  [/ +$/, ""],
  [/ +/, " +"],
];
const VARIES = new RegExp(VARYING.map(([pattern]) => `(${pattern.source})`).join("|"), "gm");

/**
 * Returns the first line at which the output differs from the guide. Undefined if the output has all lines.
 */
export function difference(expected: readonly string[], printed: string): string | undefined {
  const text = printed.replaceAll(/[ \t]+$/gm, "").replace(/\n*$/, "\n");
  if (patternOf(expected, "$").test(text)) return undefined;
  const wrong = expected.findIndex((_, index) => !patternOf(expected.slice(0, index + 1), "").test(text));
  return wrong === -1 ? "more was printed than the guide shows" : `not printed: ${expected[wrong]}`;
}

/** Returns whether the text printed so far shows everything in the guide. More text may follow. */
export function hasBegun(expected: readonly string[], printed: string): boolean {
  return patternOf(expected, "").test(`${printed}\n`);
}

function patternOf(expected: readonly string[], end: string): RegExp {
  const lines = expected.map((line) => (line.trim() === "…" ? "(?:.*\n)*?" : `${linePattern(line)} *\n`));
  return new RegExp(`^${lines.join("")}${end}`);
}

function linePattern(line: string): string {
  let pattern = "";
  let end = 0;
  for (const found of line.matchAll(VARIES)) {
    const which = found.slice(1).findIndex((group) => group !== undefined);
    pattern += escaped(line.slice(end, found.index)) + VARYING[which]![1];
    end = found.index + found[0].length;
  }
  return pattern + escaped(line.slice(end));
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
