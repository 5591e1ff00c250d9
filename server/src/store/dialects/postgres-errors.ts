import { DatabaseError } from "pg";
import { codeOf, messageOf } from "#plumbing/errors";
import { DatabaseAwayError } from "#store/database/database-away";

/** PostgreSQL's codes for a connection that ends or is refused. All codes of class 08 count too. */
const ENDING_CODES: ReadonlySet<string> = new Set([
  "57P01", // shut down by its administrator
  "57P02", // another of its processes crashed
  "57P03", // starting up, or shutting down
  "57P05", // idle for too long
  "25P03", // idle in a transaction for too long
]);

/** Messages of the driver itself, which have no code. */
const ENDING_WORDS = /^Connection terminated|not queryable$|^Query read timeout$/;

/** Returns whether the error means that the connection is unusable and the statement on it got no reply. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error) ?? "";
  if (error instanceof DatabaseError) return ENDING_CODES.has(code) || code.startsWith("08");
  const isFromSystem = (error as { syscall?: unknown }).syscall !== undefined;
  return isFromSystem || ENDING_WORDS.test(messageOf(error));
}

/** Returns whether the database undid the transaction because of a conflict with another transaction. */
export function isTransactionConflict(error: unknown): boolean {
  return codeOf(error) === "40001" || codeOf(error) === "40P01";
}

/** Returns whether the connection broke before the commit was sent. A new connection may be available already. */
export function mayBeRepeatedOnce(error: unknown): boolean {
  return error instanceof DatabaseAwayError && !error.mayBeDone && !error.isUnreachable;
}
