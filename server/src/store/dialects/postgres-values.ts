import { types } from "pg";

/** Conversions between PostgreSQL and the store, where the driver's defaults do not fit. */

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

/**
 * Parses a 64-bit integer, which the driver returns as text because it may exceed JavaScript's range. The store has
 * times and counts.
 */
function readInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} in the database is too large a number.`);
  return value;
}

/**
 * PostgreSQL's texts hold every character except NUL, but job output and specifications may contain it. NUL is stored
 * as DLE and 0, and DLE as DLE and 1: equal texts stay equal, and every text is read back unchanged.
 */
const ESCAPE = "\u0010";
const [NUL_ESCAPED, ESCAPE_ESCAPED] = [`${ESCAPE}0`, `${ESCAPE}1`];

export function writeValue(value: unknown): unknown {
  return typeof value === "string" ? writeText(value) : value;
}

export function writeText(text: string): string {
  if (!text.includes("\0") && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, ESCAPE_ESCAPED).replaceAll("\0", NUL_ESCAPED);
}

function readText(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(NUL_ESCAPED, "\0").replaceAll(ESCAPE_ESCAPED, ESCAPE);
}
