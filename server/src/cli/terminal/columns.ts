import { stripVTControlCharacters } from "node:util";

/** Formats rows as a table in which each column is as wide as its widest cell. Columns in `right` are right-aligned. */
export function inColumns(
  rows: readonly (readonly string[])[],
  { right = [] }: { readonly right?: readonly number[] } = {},
): string[] {
  const widths = rows[0]!.map((_cell, column) => Math.max(...rows.map((row) => widthOf(row[column]!))));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        right.includes(column) ? spaces(widths[column]!, cell) + cell : cell + spaces(widths[column]!, cell),
      )
      .join("  ")
      .trimEnd(),
  );
}

/** Returns the printed width: colour codes take no space. */
function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}

function spaces(width: number, cell: string): string {
  return " ".repeat(width - widthOf(cell));
}
