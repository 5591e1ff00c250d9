import { fstatSync, ftruncateSync, writeSync } from "node:fs";
import { HELPER_LOG_BYTES_MAX } from "#backends/process/slots/helper-log";

const STDERR = 2;

/** Prints a fault of the keeper. Its standard error is the log of slots and keeper (helper-log.ts). */
export function report(error: unknown): void {
  writeSync(STDERR, `${error instanceof Error ? error.stack : String(error)}\n`);
}

/** Returns the result of a look. A look that fails is reported, and the next one tries again. */
export function attempt<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch (error) {
    report(error);
    return undefined;
  }
}

/** Empties the log of slots and keeper if it is too long. */
export function emptyLongLog(): void {
  const stat = fstatSync(STDERR);
  if (stat.isFile() && stat.size > HELPER_LOG_BYTES_MAX) ftruncateSync(STDERR);
}
