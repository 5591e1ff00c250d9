import type { ColumnBuilderCallback, ColumnDefinitionBuilder } from "kysely";

/** Column definitions for keys that the database numbers in order of creation. */
export interface ColumnDifferences {
  /** SQLite auto-numbers a key only if its type is exactly `integer`. PostgreSQL's `integer` ends at 2,147,483,647. */
  readonly rowNumber: "integer" | "bigint";
  /** Modifiers of a numbered key in addition to its type. */
  readonly numbered: ColumnBuilderCallback;
}

/** Kinds of columns, as the migrations write them. */
export const notNull = (column: ColumnDefinitionBuilder) => column.notNull();
export const key = (column: ColumnDefinitionBuilder) => column.notNull().primaryKey();
export const zero = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0);
export const of = (reference: string) => (column: ColumnDefinitionBuilder) =>
  column.notNull().references(reference);
export const keyOf = (reference: string) => (column: ColumnDefinitionBuilder) =>
  key(column).references(reference);
