import os from "node:os";
import type { ErrorCode } from "#plumbing/error-codes";

/**
 * A refusal is an answer, not an accident: somebody asked for something that cannot be done, and the message says
 * what was tried, with what, and what to do next. Every room throws it; only `api/` knows which HTTP status a kind
 * becomes. Anything else that is thrown is a fault of ours: it is logged with an id and answered without details.
 */
export type RefusalKind =
  | "malformed" // the request itself is wrong
  | "not-signed-in" // no credentials at all
  | "forbidden" // known, but not allowed
  | "absent" // no such thing, or not visible to the caller
  | "conflict" // right in itself, but not in the present state
  | "too-large" // over a limit
  | "not-implemented" // a word or a kind that this server does not carry out
  | "no-space" // the disk is full
  | "unavailable"; // shutting down, or a needed part is away

/** The code of a refusal that has none of its own. */
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
  /** For programs that have to tell the causes of one kind apart. */
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

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a system error (`ENOENT`, `EADDRINUSE` …), or nothing. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

const DISK_FULL_CODES = ["ENOSPC", "SQLITE_FULL"];

/** Also when this user's quota of the disk is used up: Node has no name for that error, only its number. */
export function isDiskFull(error: unknown): boolean {
  const { errno } = (error ?? {}) as NodeJS.ErrnoException;
  return DISK_FULL_CODES.includes(codeOf(error) ?? "") || errno === -os.constants.errno.EDQUOT;
}
