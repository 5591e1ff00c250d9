import { codeOf, messageOf } from "#plumbing/errors";

/** Thrown with a sentence for the person who makes or restores a backup. */
export class BackupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "BackupError";
  }
}

/** Wraps an error in a sentence that starts with the attempted action. */
export function asBackupError(tried: string, where: string, error: unknown): Error {
  if (error instanceof BackupError) return error;
  const reason =
    codeOf(error) === "ENOSPC" || codeOf(error) === "EDQUOT" || codeOf(error) === "SQLITE_FULL"
      ? `the disk of ${where} is full`
      : messageOf(error);
  return new BackupError(`${tried}: ${reason}. The incomplete copy was removed.`, { cause: error });
}
