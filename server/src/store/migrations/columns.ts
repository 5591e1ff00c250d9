import type { ColumnDefinitionBuilder } from "kysely";

/** Kinds of columns, as the migrations write them. */
export const notNull = (column: ColumnDefinitionBuilder) => column.notNull();
export const key = (column: ColumnDefinitionBuilder) => column.notNull().primaryKey();
export const zero = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0);
export const of = (reference: string) => (column: ColumnDefinitionBuilder) =>
  column.notNull().references(reference);
export const keyOf = (reference: string) => (column: ColumnDefinitionBuilder) =>
  key(column).references(reference);
