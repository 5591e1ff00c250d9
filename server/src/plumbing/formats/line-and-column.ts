/** A place in a text. Both are counted from 1, as editors do. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Converts a position in a text to a line and a column. */
export function lineAndColumn(text: string, position: number): Place {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < position; end = text.indexOf("\n", lineStart)) {
    line += 1;
    lineStart = end + 1;
  }
  return { line, column: position - lineStart + 1 };
}
