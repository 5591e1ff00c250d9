import type { FastifyRequest } from "fastify";
import { AbsentWorkflow } from "#operations/absent-workflow";
import type { ErrorCode } from "#plumbing/error-codes";
import type { Refusal } from "#plumbing/errors";

/**
 * Some of REANA's sentences speak of REANA's own tools. Its users know them, and its clients get them word by word;
 * everybody else gets a sentence of ours, with the same status.
 */

/** REANA's clients name their HTTP libraries: `requests` in Python, the standard one in Go. */
const REANA_CLIENT = /^(python-requests|Go-http-client)\//;

interface Reply {
  readonly status: number;
  readonly message: string;
  readonly code: ErrorCode;
  readonly reanaMessage?: string | undefined;
}

/** Chooses the sentence that the sender of the request knows. */
export function inWordsFor(request: FastifyRequest, { status, message, code, reanaMessage }: Reply) {
  const isReanaClient = REANA_CLIENT.test(request.headers["user-agent"] ?? "");
  return { status, code, message: isReanaClient && reanaMessage !== undefined ? reanaMessage : message };
}

/** Returns REANA's words for a refusal, if it has others than ours. */
export function maybeReanaMessage(refusal: Refusal): string | undefined {
  if (!(refusal instanceof AbsentWorkflow)) return undefined;
  return (
    `REANA_WORKON is set to ${refusal.address}, but that workflow does not exist. ` +
    "Please set your REANA_WORKON environment variable appropriately."
  );
}
