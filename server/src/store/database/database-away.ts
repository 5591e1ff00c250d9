import { codeOf, messageOf } from "#plumbing/errors";

/**
 * Thrown when the database does not respond: it is down, restarting, or unreachable. A transaction that surely left
 * nothing may be repeated. A change that may have been committed must not be.
 */
export class DatabaseAwayError extends Error {
  readonly code: "DATABASE_AWAY" | "DATABASE_LOST";
  /** True if the statement may have been carried out despite the error. */
  readonly mayBeDone: boolean;
  /** True if no connection could be opened. */
  readonly isUnreachable: boolean;
  /** The cause without the outcome of the change, for callers without a change. */
  readonly reason: string;

  constructor(cause: unknown, how: { readonly mayBeDone: boolean; readonly isUnreachable?: boolean }) {
    const outcome = how.mayBeDone
      ? "Whether the change that was under way has been stored is not known"
      : "Nothing was changed";
    const reason = sentenceOf(cause);
    super(`${reason}. ${outcome}.`, { cause });
    this.reason = reason;
    this.name = "DatabaseAwayError";
    this.code = how.mayBeDone ? "DATABASE_LOST" : "DATABASE_AWAY";
    this.mayBeDone = how.mayBeDone;
    this.isUnreachable = how.isUnreachable ?? false;
  }
}

/** Names the cause. Handles PostgreSQL's error classes for login, database and connection count. */
function sentenceOf(cause: unknown): string {
  const code = codeOf(cause) ?? "";
  if (code.startsWith("28")) return `PostgreSQL refused the login: ${reasonOf(cause)}`;
  if (code === "3D000" || code === "53300") return `PostgreSQL refused the connection: ${reasonOf(cause)}`;
  return `The database does not answer (${reasonOf(cause)})`;
}

/** Joins the errors of a host name with several addresses: Node reports one error per address and no common message. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && !cause.message) return cause.errors.map(messageOf).join(", ");
  return messageOf(cause);
}
