import { types } from "pg";

/** How values come out of PostgreSQL and go in, where the driver's own way is not the store's. */

const INT8 = types.builtins.INT8;
const TEXT = types.builtins.TEXT;

type Reader = (text: string) => unknown;

const READERS: ReadonlyMap<number, Reader> = new Map<number, Reader>([
  [INT8, readInteger],
  [TEXT, readText],
]);

export const valueReaders = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    const reader = format === "binary" ? undefined : READERS.get(oid);
    return reader ?? (types.getTypeParser(oid, format) as Reader);
  },
};

/** The driver gives texts, because these numbers may be larger than JavaScript's. The store's are times and counts. */
function readInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} in the database is too large a number.`);
  return value;
}

/**
 * PostgreSQL's texts hold every character but NUL, and what a job prints or an author writes may hold that too. It goes
 * in as DLE and 0, and a DLE as DLE and 1: equal texts stay equal, and everything comes out as it was.
 */
const ESCAPE = "\u0010";
const [NUL_ESCAPED, ESCAPE_ESCAPED] = [`${ESCAPE}0`, `${ESCAPE}1`];

export function writeValue(value: unknown): unknown {
  if (typeof value !== "string" || !(value.includes("\0") || value.includes(ESCAPE))) return value;
  return value.replaceAll(ESCAPE, ESCAPE_ESCAPED).replaceAll("\0", NUL_ESCAPED);
}

function readText(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(NUL_ESCAPED, "\0").replaceAll(ESCAPE_ESCAPED, ESCAPE);
}
