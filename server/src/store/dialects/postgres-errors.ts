import { DatabaseError } from "pg";
import { codeOf, messageOf } from "#plumbing/errors";
import { DatabaseAwayError } from "#store/database-away";

/** What PostgreSQL says when it ends a connection, or takes none. Class 08 is about connections as well. */
const ENDING_CODES: ReadonlySet<string> = new Set([
  "57P01", // shut down by its administrator
  "57P02", // another of its processes crashed
  "57P03", // starting up, or shutting down
  "57P05", // idle for too long
  "25P03", // silent in a transaction for too long
]);

/** What the driver says in its own words, without a code. */
const ENDING_WORDS = /^Connection terminated|not queryable$|^Query read timeout$/;

/** Whether the connection is of no use any more, and what was asked on it unanswered. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error) ?? "";
  if (error instanceof DatabaseError) return ENDING_CODES.has(code) || code.startsWith("08");
  const isFromSystem = (error as { syscall?: unknown }).syscall !== undefined;
  return isFromSystem || ENDING_WORDS.test(messageOf(error));
}

/** Two transactions stood in each other's way, and the database undid this one. */
export function leftNothing(error: unknown): boolean {
  return codeOf(error) === "40001" || codeOf(error) === "40P01";
}

/** The connection broke in a transaction that was not being committed: a new connection may be there already. */
export function mayBeRepeatedOnce(error: unknown): boolean {
  return error instanceof DatabaseAwayError && !error.mayBeDone && !error.isUnreachable;
}
