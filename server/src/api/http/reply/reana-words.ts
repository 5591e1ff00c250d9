import type { FastifyRequest } from "fastify";
import { AbsentRun } from "#operations/absent-run";
import type { ErrorCode } from "#plumbing/error-codes";
import type { Refusal } from "#plumbing/errors";

/**
 * REANA's sentences that refer to REANA's own tools. REANA's clients get the sentences word for word, because
 * their users know them. All other clients get a sentence of this server, with the same status.
 */

/**
 * User agents of REANA's clients, which are the user agents of their HTTP libraries: `requests` in Python,
 * the standard library in Go.
 */
const REANA_CLIENT = /^(python-requests|Go-http-client)\//;

interface Reply {
  readonly status: number;
  readonly message: string;
  readonly code: ErrorCode;
  readonly reanaMessage?: string | undefined;
}

/** Chooses the wording that the sender of the request knows. */
export function inWordsFor(request: FastifyRequest, { status, message, code, reanaMessage }: Reply) {
  const isReanaClient = REANA_CLIENT.test(request.headers["user-agent"] ?? "");
  return { status, code, message: isReanaClient && reanaMessage !== undefined ? reanaMessage : message };
}

/** Returns REANA's wording of a refusal, if it differs. */
export function maybeReanaMessage(refusal: Refusal): string | undefined {
  if (!(refusal instanceof AbsentRun)) return undefined;
  return (
    `REANA_WORKON is set to ${refusal.address}, but that workflow does not exist. ` +
    "Please set your REANA_WORKON environment variable appropriately."
  );
}
