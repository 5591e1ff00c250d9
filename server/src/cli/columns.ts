import { stripVTControlCharacters } from "node:util";

/** Rows as a table for people: each column as wide as its widest cell. Those named in `right` hold numbers. */
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

/** A colour takes no place. */
function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}

function spaces(width: number, cell: string): string {
  return " ".repeat(width - widthOf(cell));
}
