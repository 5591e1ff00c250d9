import { type Edit, editsBetween, createNumbering } from "#plumbing/diff/edits";

/**
 * Yields the differences of two texts line by line, as `diff -u` shows them: hunk by hunk, each with its `@@` line and
 * `contextLines` equal lines around the changes. The two lines that name the files are left out.
 */
export function* unifiedHunks(
  a: readonly string[],
  b: readonly string[],
  contextLines: number,
): Generator<string[]> {
  const numberOf = createNumbering();
  const edits = editsBetween(a.map(numberOf), b.map(numberOf));
  for (const group of grouped(edits, contextLines)) yield hunk(a, b, group, contextLines);
}

/** Groups edits whose context lines touch. */
function grouped(edits: readonly Edit[], contextLines: number): Edit[][] {
  const groups: Edit[][] = [];
  for (const edit of edits) {
    const last = groups.at(-1);
    if (last && edit.aStart - last.at(-1)!.aEnd <= 2 * contextLines) last.push(edit);
    else groups.push([edit]);
  }
  return groups;
}

function hunk(
  a: readonly string[],
  b: readonly string[],
  edits: readonly Edit[],
  contextLines: number,
): string[] {
  const [first, last] = [edits[0]!, edits.at(-1)!];
  const before = Math.min(contextLines, first.aStart);
  const after = Math.min(contextLines, a.length - last.aEnd);
  const inA = range(first.aStart - before, last.aEnd + after);
  const inB = range(first.bStart - before, last.bEnd + after);
  const lines = [`@@ -${inA} +${inB} @@`];
  const add = (mark: string, from: readonly string[], start: number, end: number) => {
    for (let at = start; at < end; at += 1) lines.push(`${mark}${from[at]!}`);
  };
  let at = first.aStart - before;
  for (const edit of edits) {
    add(" ", a, at, edit.aStart);
    add("-", a, edit.aStart, edit.aEnd);
    add("+", b, edit.bStart, edit.bEnd);
    at = edit.aEnd;
  }
  add(" ", a, at, at + after);
  return lines;
}

/** Formats a range of lines, counted from 1. An empty range names the line before it. */
function range(start: number, end: number): string {
  const count = end - start;
  if (count === 1) return String(start + 1);
  return `${count === 0 ? start : start + 1},${count}`;
}
