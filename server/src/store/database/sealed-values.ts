import { sql } from "kysely";
import { keyOf, type Row, rowsOf, type Table } from "#store/database/all-rows";
import type { Connection } from "#store/database/database";

/** The tables with a column `sealed`: values that are encrypted with the server's key. */
export const SEALED_TABLES = [
  "identities",
  "tokens",
  "secrets",
  "notebooks",
  "notifications",
  "idempotency_keys",
] as const satisfies readonly Table[];

/** Yields all sealed values. */
export async function* sealedValues(db: Connection): AsyncGenerator<string> {
  for await (const { sealed } of sealedRows(db)) yield sealed;
}

/** Replaces each sealed value, in the caller's transaction. Returns how many there are. */
export async function replaceSealedValues(
  tx: Connection,
  replacementOf: (sealed: string) => string,
): Promise<number> {
  let count = 0;
  for await (const { table, row, sealed } of sealedRows(tx)) {
    const key = keyOf(table).map((column) => sql`${sql.ref(column)} = ${row[column]}`);
    const where = sql.join(key, sql` and `);
    await sql`update ${sql.table(table)} set sealed = ${replacementOf(sealed)} where ${where}`.execute(tx);
    count += 1;
  }
  return count;
}

interface SealedRow {
  readonly table: Table;
  readonly row: Row;
  readonly sealed: string;
}

async function* sealedRows(db: Connection): AsyncGenerator<SealedRow> {
  for (const table of SEALED_TABLES) {
    for await (const rows of rowsOf(db, table)) {
      for (const row of rows) {
        const { sealed } = row;
        if (typeof sealed === "string") yield { table, row, sealed };
      }
    }
  }
}
