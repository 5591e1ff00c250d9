import { type RawBuilder, sql, type SqlBool } from "kysely";

/**
 * Returns a condition: the column contains the text, in capitals or not. The database itself makes both small, because
 * SQLite changes only the letters from A to Z.
 */
export function containsText(column: RawBuilder<unknown>, text: string): RawBuilder<SqlBool> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`;
  return sql<SqlBool>`lower(${column}) like lower(${pattern}) escape '\\'`;
}
