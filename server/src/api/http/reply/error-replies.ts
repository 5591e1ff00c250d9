import { STATUS_CODES } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { areaOf } from "#api/http/document/areas";
import { statusOf } from "#api/http/document/refusal-status";
import { HttpProblem } from "#api/http/reply/http-problem";
import { inWordsFor, maybeReanaMessage } from "#api/http/reply/reana-words";
import type { ErrorCode } from "#plumbing/error-codes";
import { codeOf, messageOf, Refusal, type RefusalKind } from "#plumbing/errors";
import type { Log } from "#plumbing/log";
import { redact } from "#plumbing/secrets/redact";

/** Errors raised by the framework, by error code. */
const FRAMEWORK: Readonly<Record<string, readonly [number, string]>> = {
  FST_ERR_BAD_URL: [
    400,
    "The address of the request is malformed: a % in it is not followed by two hexadecimal digits.",
  ],
  FST_ERR_MAX_PARAM_LENGTH: [414, "A part of the request's address is too long."],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, "The Content-Type of the request is not valid."],
};

const DISK_FULL = [
  "no-space",
  "The server's disk is full: nothing was stored. Free space on it, for example by deleting runs, or ask its " +
    "administrator to.",
] as const;
const TOO_BUSY = [
  "unavailable",
  "The server is too busy to answer this request. Try again in a moment.",
] as const;

/** System and database errors not caused by this program, by error code. */
const CIRCUMSTANCES: Readonly<Record<string, readonly [kind: RefusalKind, sentence: string]>> = {
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
  EMFILE: TOO_BUSY,
  ENFILE: TOO_BUSY,
  SQLITE_FULL: DISK_FULL,
  SQLITE_BUSY: TOO_BUSY,
  // PostgreSQL: its disk is full, a statement took too long, a deadlock, a serialisation failure.
  "53100": DISK_FULL,
  "57014": TOO_BUSY,
  "40P01": TOO_BUSY,
  "40001": TOO_BUSY,
  DATABASE_AWAY: [
    "unavailable",
    "The database is not responding, and nothing was changed. Try again in a moment.",
  ],
  DATABASE_LOST: [
    "unavailable",
    "The connection to the database was lost during the request, which may or may not have taken effect. " +
      "Check before you repeat it.",
  ],
  NOT_ON_DISK: [
    "unavailable",
    "The server could not sync its disk, and refuses requests until its administrator has checked the disk " +
      "and restarted it. Check then whether this request took effect.",
  ],
};

interface ErrorReply {
  readonly status: number;
  readonly message: string;
  /** Defaults to the code that belongs to the status. */
  readonly code?: ErrorCode | undefined;
}

const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: "malformed",
  404: "not-found",
  405: "method-not-allowed",
  408: "request-timeout",
  413: "too-large",
  414: "address-too-long",
  415: "wrong-content-type",
  416: "range-not-satisfiable",
  417: "expectation-failed",
  421: "wrong-host",
  429: "too-many-streams",
  431: "headers-too-large",
};

/** Returns the JSON of a reply that is not a success. */
export function errorText({ status, message, code }: ErrorReply): string {
  const known = code ?? CODE_OF_STATUS[status] ?? (status < 500 ? "malformed" : "server-fault");
  return JSON.stringify({ message, code: known });
}

/** Replies to an error thrown while a request was served. Unexpected errors are logged with the id of the request. */
export function errorHandler(log: Log) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const error = circumstance(thrown) ?? thrown;
    const expected = expectedReply(error, request);
    const details = { err: error, requestId: request.id, route: request.routeOptions.config.route?.path };
    if (!expected) log.error(details, "a request failed");
    else if (error !== thrown) log.warn(details, "a request could not be served");
    return sendError(reply, expected ?? faultReply(error, request));
  };
}

function circumstance(error: unknown): Refusal | undefined {
  const known = CIRCUMSTANCES[codeOf(error) ?? ""];
  return known && new Refusal(...known, { cause: error });
}

export function sendError(reply: FastifyReply, error: ErrorReply): FastifyReply {
  // Early replies to requests with a body ask for the connection to be closed, and a client that is still sending would
  // then never see the reply. The rest of the body is read and discarded instead: `leftover-bodies.ts`.
  reply.removeHeader("connection");
  const { status } = error;
  if (status === 401) reply.header("www-authenticate", "Bearer");
  return reply.code(status).type("application/json; charset=utf-8").send(errorText(error));
}

function expectedReply(error: unknown, request: FastifyRequest): ErrorReply | undefined {
  if (error instanceof Refusal) {
    return inWordsFor(request, {
      status: statusOf(error.kind, request.routeOptions.config.route),
      message: error.message,
      code: error.errorCode,
      reanaMessage: maybeReanaMessage(error),
    });
  }
  if (error instanceof HttpProblem) return { status: error.status, message: error.message };
  const framework = FRAMEWORK[codeOf(error) ?? ""];
  if (framework) return { status: framework[0], message: framework[1] };
  // A fully read stream is destroyed as well.
  const isCut = request.raw.destroyed && !request.raw.complete;
  if (isCut) return { status: 400, message: "The connection was closed before the request was complete." };
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (typeof status !== "number" || status < 400 || status > 499) return undefined;
  return { status, message: `${STATUS_CODES[status] ?? "Malformed request"}: ${redact(messageOf(error))}` };
}

function faultReply(error: unknown, request: FastifyRequest): ErrorReply {
  if (areaOf(request).showsFaults) return { status: 500, message: redact(messageOf(error)) };
  const message = `The server failed to answer this request. Its log says why, under the id ${request.id}.`;
  return { status: 500, message };
}
