/**
 * The codes of refusals, for programs: a code stays the same if the wording of its sentence changes. The first rows are
 * general: one for each kind of refusal, and those that only HTTP has. The others tell apart several causes of one
 * status.
 */
export const ERROR_CODES = {
  malformed: "The request is wrong in itself; the message says where.",
  "not-signed-in": "The request has no credentials.",
  forbidden: "The credentials do not allow this.",
  "not-found": "There is no such thing, or none that these credentials can see.",
  conflict: "Not possible in the present state.",
  "too-large": "Over a limit; the message names it.",
  "not-implemented": "This server does not do this.",
  unavailable: "The server, or something that it needs, is not available. Try again later.",
  "disk-full": "The server's disk is full.",
  "server-fault": "The server failed. Its log has the reason.",
  "method-not-allowed": "The address has other methods; `Allow` lists them.",
  "request-timeout": "The request was not complete in time.",
  "address-too-long": "A part of the address is too long.",
  "wrong-content-type": "The body is of a type that is not expected.",
  "range-not-satisfiable": "The range begins behind the end of the file.",
  "expectation-failed": "The `Expect` header cannot be met.",
  "wrong-host": "The server does not answer for this host name.",
  "too-many-streams": "As many streams of this user are open as may be.",
  "headers-too-large": "The address or the headers are too long.",

  "unknown-token": "The token belongs to nobody.",
  "token-revoked": "The token was revoked.",
  "user-disabled": "The administrator disabled this user.",
  "not-administrator": "Only the administrator may do this.",
  "idempotency-key-reused": "The idempotency key came with another request before.",
  "run-not-found": "No run has this name or id, or none that the caller can see.",
  "run-not-started": "The run has not been started.",
  "run-live": "The run is queued, pending or running.",
  "run-ended": "The run is finished, failed or stopped.",
  "run-deleted": "The run was deleted.",
  "workspace-busy": "Another run that shares the workspace is live.",
  "status-unknown": "The status to change to is none of those that are implemented.",
  "language-not-supported": "This server cannot run the language of the specification.",
  "specification-invalid": "The specification is wrong; the message says where.",
  "upload-offset": "The part does not begin where the upload stands. Ask for the upload's offset.",
  "upload-incomplete": "Parts of the upload are missing.",
  "checksum-mismatch": "What was uploaded does not have the announced checksum. Begin again.",
  "email-taken": "Another user has this e-mail address.",
  "token-taken": "The token is taken.",
  "secret-exists": "A secret of this name exists.",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
