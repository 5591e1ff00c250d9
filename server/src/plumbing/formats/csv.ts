/** Returns a row of a table as a line of CSV (RFC 4180), without the end of the line. */
export function csvLine(cells: readonly string[]): string {
  return cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",");
}

const CELL = /"((?:[^"]|"")*)"|([^",\r\n]*)/y;

/** Returns the rows of a CSV text without empty lines, or undefined if a quote is wrong. */
export function maybeCsvRows(text: string): string[][] | undefined {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = text.startsWith("\uFEFF") ? 1 : 0; at <= text.length;) {
    CELL.lastIndex = at;
    const [whole, quoted, plain] = CELL.exec(text)!;
    row.push(quoted?.replaceAll('""', '"') ?? plain!.trim());
    at += whole.length;
    if (text[at] === ",") at += 1;
    else {
      const [end] = /^(\r?\n|\r|$)/.exec(text.slice(at, at + 2)) ?? [];
      if (end === undefined) return undefined;
      if (row.some((cell) => cell !== "")) rows.push(row);
      row = [];
      at += Math.max(1, end.length);
    }
  }
  return rows;
}
