import { areaOfPath } from "#api/http/document/areas";
import { statusOf } from "#api/http/document/refusal-status";
import type { Route } from "#api/http/endpoint";
import { ErrorRecord } from "#api/http/document/schemas";
import type { RefusalKind } from "#plumbing/errors";

/** Refusals in the document: name and description by status. Each is defined once. */
const RESPONSES: Readonly<Record<number, readonly [name: string, description: string]>> = {
  400: ["Malformed", "The request is malformed."],
  401: ["NotSignedIn", "The request has no credentials."],
  403: ["Forbidden", "The credentials are not valid, or do not allow this."],
  404: ["NotFound", "It does not exist, or these credentials cannot see it."],
  409: [
    "Conflict",
    "Not possible in the current state, or the idempotency key was used for a different request.",
  ],
  413: ["TooLarge", "Larger than this server accepts."],
  415: ["NotJson", "The body is multipart, but JSON is expected."],
  416: ["RangeNotSatisfiable", "The range starts beyond the end of the file."],
  429: ["TooManyStreams", "This user has the maximum number of open streams. Close one first."],
  500: ["ServerFault", "The server failed. Its log has the reason under the id in the message."],
  501: ["NotImplemented", "This server does not implement this."],
  503: ["Unavailable", "The server, or something that it needs, is not available. Try again later."],
  507: ["DiskFull", "The server's disk is full. Nothing was stored."],
};

/** Returns `components.responses` of the document. */
export function refusalResponses(): Record<string, object> {
  const content = { "application/json": { schema: ErrorRecord } };
  return Object.fromEntries(
    Object.values(RESPONSES).map(([name, description]) => [name, { description, content }]),
  );
}

export function refusalReference(status: number): { readonly $ref: string } {
  const [name] = RESPONSES[status] ?? [];
  if (name === undefined) throw new Error(`The status ${status} has no row among the refusals.`);
  return { $ref: `#/components/responses/${name}` };
}

/**
 * Returns the possible refusal statuses of an endpoint, in order: its own, and the statuses of the checks
 * before it. Refusals before routing (405, 408, 414, 417, 421, 431) do not belong to an endpoint.
 */
export function refusalStatuses(route: Route): readonly number[] {
  const { schema, access, refuses = [] } = route;
  const kinds: readonly RefusalKind[] = [
    "malformed",
    ...(access === "anyone" ? [] : (["unavailable"] as const)),
    ...(schema.params ? (["absent"] as const) : []),
    ...(schema.body ? (["too-large"] as const) : []),
    ...(takesKey(route) ? (["conflict", "no-space"] as const) : []),
  ];
  const statuses = [
    // For an address that cannot be decoded, and for any fault.
    400,
    500,
    ...kinds.map((kind) => statusOf(kind, route)),
    ...(access === "anyone" ? [] : credentialStatuses(route)),
    ...(schema.body ? [415] : []),
    ...refuses,
  ];
  return [...new Set(statuses)].sort((a, b) => a - b);
}

/** Returns whether a request may have an `Idempotency-Key`: it changes something, and needs a signed-in user. */
export function takesKey({ method, access }: Route): boolean {
  return method !== "GET" && access !== "anyone";
}

function credentialStatuses({ path, access }: Route): readonly number[] {
  const { nobody, failure, notAdmin } = areaOfPath(path);
  const replies = [nobody, ...Object.values(failure), ...(access === "admin" ? [notAdmin] : [])];
  return replies.map(({ status }) => status);
}
