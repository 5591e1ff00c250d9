/**
 * The codes of refusals, for programs: a code stays the same if the wording of its sentence changes. The first rows are
 * general: one for each kind of refusal, and those that only HTTP has. The others tell apart several causes of one
 * status.
 */
export const ERROR_CODES = {
  malformed: "The request is malformed; the message says where.",
  "not-signed-in": "The request has no credentials.",
  forbidden: "The credentials do not allow this.",
  "not-found": "It does not exist, or these credentials cannot see it.",
  conflict: "Not possible in the current state.",
  "too-large": "Over a limit; the message names it.",
  "not-implemented": "This server does not implement this.",
  unavailable: "The server, or something that it needs, is not available. Try again later.",
  "disk-full": "The server's disk is full.",
  "server-fault": "The server failed. Its log has the reason.",
  "method-not-allowed": "The address has other methods; `Allow` lists them.",
  "request-timeout": "The request was not complete in time.",
  "address-too-long": "A part of the address is too long.",
  "wrong-content-type": "The body is of an unexpected type.",
  "range-not-satisfiable": "The range starts beyond the end of the file.",
  "expectation-failed": "The `Expect` header cannot be met.",
  "wrong-host": "The server does not serve this host name.",
  "too-many-streams": "The user has the maximum number of open streams.",
  "headers-too-large": "The address or the headers are too long.",

  "unknown-token": "No user has this token.",
  "token-revoked": "The token was revoked.",
  "token-expired": "The token has expired.",
  "token-scope": "The token does not open this; the message names the scope that does.",
  "token-limits": "The token may not issue one with these limits.",
  "user-disabled": "The administrator disabled this user.",
  "foreign-page": "Another page sent this request with the session of the browser.",
  "not-administrator": "Only the administrator may do this.",
  "idempotency-key-reused": "The idempotency key was used for a different request.",
  "run-not-found": "No run has this name or id, or none that the caller can see.",
  "shared-to-read": "The run is shared with the caller, who may read it and change nothing.",
  "run-not-started": "The run has not been started.",
  "run-live": "The run is queued, pending or running.",
  "run-ended": "The run is finished, failed or stopped.",
  "run-deleted": "The run was deleted.",
  "workspace-busy": "Another run that shares the workspace is live.",
  "status-unknown": "The requested status does not exist or is not implemented.",
  "language-not-supported": "This server cannot run the language of the specification.",
  "specification-invalid": "The specification is wrong; the message says where.",
  "upload-offset": "The part does not start at the upload's offset. Request the offset.",
  "upload-incomplete": "Parts of the upload are missing.",
  "checksum-mismatch": "The uploaded file does not have the announced checksum. Start again.",
  "email-taken": "Another user has this e-mail address.",
  "token-taken": "The token is taken.",
  "secret-exists": "A secret of this name exists.",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
