import { codeOf, messageOf } from "#plumbing/errors";

/**
 * Thrown when the database does not answer: it is down, restarting, or the way to it is broken. A transaction that surely
 * left nothing may be repeated; what may have been committed must not be.
 */
export class DatabaseAwayError extends Error {
  readonly code: "DATABASE_AWAY" | "DATABASE_LOST";
  /** Whether what was asked may have been carried out all the same. */
  readonly mayBeDone: boolean;
  /** Whether there was no connection to ask it on. */
  readonly isUnreachable: boolean;
  /** Why, without what became of the change: for somebody who changes nothing. */
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

/** PostgreSQL's classes of refusals: the login, the database, the number of connections. */
function sentenceOf(cause: unknown): string {
  const code = codeOf(cause) ?? "";
  if (code.startsWith("28")) return `PostgreSQL refused the login: ${reasonOf(cause)}`;
  if (code === "3D000" || code === "53300") return `PostgreSQL refused the connection: ${reasonOf(cause)}`;
  return `The database does not answer (${reasonOf(cause)})`;
}

/** A name with several addresses gives one error for each of them, and none of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && !cause.message) return cause.errors.map(messageOf).join(", ");
  return messageOf(cause);
}
