import type { RawBuilder } from "kysely";
import type { Connection } from "#store/database/connection";
import { adapterOf, type GivenColumns } from "#store/database/adapter";

type GivenRow<Columns extends GivenColumns> = {
  readonly [Name in keyof Columns]: Columns[Name] extends "text" ? string | null : number | null;
};

/** Returns rows as the text that `givenRows` reads. */
export function manyRows<Columns extends GivenColumns>(
  db: Connection,
  _columns: Columns,
  rows: readonly GivenRow<Columns>[],
): string {
  // PostgreSQL refuses half a surrogate pair in JSON.
  const { storedText } = adapterOf(db).differences;
  return JSON.stringify(rows, (_name, value: unknown) =>
    typeof value === "string" ? storedText(value.toWellFormed()) : value,
  );
}

/**
 * Returns a table of the rows in a text of `manyRows`. One statement then writes any number of rows, and its text stays
 * the same: with a statement for each row, 100 events cost 500 round trips to a database that is not in this process.
 */
export function givenRows<Columns extends GivenColumns>(
  db: Connection,
  columns: Columns,
  rows: string,
): RawBuilder<GivenRow<Columns>> {
  return adapterOf(db).differences.givenRows(columns, rows) as RawBuilder<GivenRow<Columns>>;
}
