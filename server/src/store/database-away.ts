import { messageOf } from "#plumbing/errors";

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

  constructor(cause: unknown, how: { readonly mayBeDone: boolean; readonly isUnreachable?: boolean }) {
    const outcome = how.mayBeDone
      ? "Whether the change that was under way has been stored is not known"
      : "Nothing was changed";
    super(`The database does not answer (${reasonOf(cause)}). ${outcome}.`, { cause });
    this.name = "DatabaseAwayError";
    this.code = how.mayBeDone ? "DATABASE_LOST" : "DATABASE_AWAY";
    this.mayBeDone = how.mayBeDone;
    this.isUnreachable = how.isUnreachable ?? false;
  }
}

/** A name with several addresses gives one error for each of them, and none of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && !cause.message) return cause.errors.map(messageOf).join(", ");
  return messageOf(cause);
}
