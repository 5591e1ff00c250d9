import { stripVTControlCharacters } from "node:util";
import { cutInMiddle } from "#plumbing/text/cut-in-middle";

const GAP = "  ";

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
      .join(GAP)
      .trimEnd(),
  );
}

/** Characters of a name that stay in the narrowest terminal. */
const NAME_LEAST = 8;

/**
 * Formats a table for a terminal of that width. If it does not fit, its short form is used, and the names in the first
 * column are cut in the middle: two long names often differ only in the number at the end.
 */
export function fittedColumns(width: number, tableOf: (isShort: boolean) => readonly string[][]): string[] {
  const whole = inColumns(tableOf(false));
  if (whole.every((line) => widthOf(line) <= width)) return whole;
  const table = tableOf(true);
  const others = inColumns(table.map((row) => row.slice(1)));
  const room = width - Math.max(...others.map(widthOf)) - GAP.length;
  return inColumns(
    table.map(([name, ...cells]) => [cutInMiddle(name!, Math.max(room, NAME_LEAST)), ...cells]),
  );
}

/** Returns the printed width: colour codes take no space. */
function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}

function spaces(width: number, cell: string): string {
  return " ".repeat(width - widthOf(cell));
}
