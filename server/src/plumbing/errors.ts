import os from "node:os";
import type { ErrorCode } from "#plumbing/error-codes";

/**
 * A refusal is a normal answer to a request that cannot be carried out. Its message says what was tried, on
 * which object, and what to do next. Every room throws refusals; only `api/` knows the HTTP status of a kind.
 * Any other error is a fault of the server: it is logged with an id and answered without details.
 */
export type RefusalKind =
  | "malformed" // the request itself is wrong
  | "not-signed-in" // no credentials at all
  | "forbidden" // known, but not permitted
  | "absent" // no such thing, or not visible to the caller
  | "conflict" // valid in itself, but not possible in the present state
  | "too-large" // over a limit
  | "not-implemented" // a word or a kind that this server does not support
  | "no-space" // the disk is full
  | "unavailable"; // shutting down, or a needed part is not available

/** The default code of each kind. */
const CODE_OF_KIND: Readonly<Record<RefusalKind, ErrorCode>> = {
  malformed: "malformed",
  "not-signed-in": "not-signed-in",
  forbidden: "forbidden",
  absent: "not-found",
  conflict: "conflict",
  "too-large": "too-large",
  "not-implemented": "not-implemented",
  "no-space": "disk-full",
  unavailable: "unavailable",
};

interface RefusalOptions extends ErrorOptions {
  /** Distinguishes the causes of one kind for programs. */
  readonly errorCode?: ErrorCode;
}

export class Refusal extends Error {
  readonly kind: RefusalKind;
  readonly errorCode: ErrorCode;

  constructor(kind: RefusalKind, message: string, options?: RefusalOptions) {
    super(message, options);
    this.name = "Refusal";
    this.kind = kind;
    this.errorCode = options?.errorCode ?? CODE_OF_KIND[kind];
  }
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the `code` of a system error (`ENOENT`, `EADDRINUSE` …), or undefined. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

const DISK_FULL_CODES = ["ENOSPC", "SQLITE_FULL"];

/** Returns true also if the user's disk quota is used up: Node has only a number for that error, no name. */
export function isDiskFull(error: unknown): boolean {
  const { errno } = (error ?? {}) as NodeJS.ErrnoException;
  return DISK_FULL_CODES.includes(codeOf(error) ?? "") || errno === -os.constants.errno.EDQUOT;
}
