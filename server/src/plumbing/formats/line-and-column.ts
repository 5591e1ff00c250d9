/** A place in a text. Both are counted from 1, as editors do. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Formats a place for people and editors: `main.cwl, line 3, column 5`. */
export function placeInWords(file: string, { line, column }: Partial<TextPosition>): string {
  return [file, ...(line ? [`line ${line}`] : []), ...(column ? [`column ${column}`] : [])].join(", ");
}

/** Converts a position in a text to a line and a column. */
export function lineAndColumn(text: string, position: number): TextPosition {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < position; end = text.indexOf("\n", lineStart)) {
    line += 1;
    lineStart = end + 1;
  }
  return { line, column: position - lineStart + 1 };
}
