import type { FastifyRequest } from "fastify";
import type { SignInFailure } from "#operations/users/sign-in";
import type { ErrorCode } from "#plumbing/error-codes";
import type { RefusalKind } from "#plumbing/errors";

/** Part of the API with refusals of its own, because REANA's clients expect different statuses. */
export interface Area {
  readonly statusOf: Partial<Record<RefusalKind, number>>;
  /** True if a fault of the server is shown with its text. */
  readonly showsFaults: boolean;
  /** Reply to a request without credentials. */
  readonly nobody: CredentialsReply;
  readonly failure: Readonly<Record<SignInFailure, CredentialsReply>>;
  /** Reply to a signed-in user where only the administrator has access. */
  readonly notAdmin: CredentialsReply;
}

interface CredentialsReply {
  readonly status: number;
  readonly message: string;
  readonly code: ErrorCode;
  /** Wording known to REANA's clients, if different: see `reana-words.ts`. */
  readonly reanaMessage?: string;
}

const NOT_PERMITTED = { status: 403, message: "Action not permitted.", code: "not-administrator" } as const;
const REVOKED = { status: 403, message: "User access token revoked.", code: "token-revoked" } as const;
const EXPIRED = {
  status: 403,
  message: "User access token expired. Issue another one, or ask the server's administrator for it.",
  code: "token-expired",
} as const;
const DISABLED = {
  status: 403,
  message: "This user is disabled. The administrator can enable it again.",
  code: "user-disabled",
} as const;
const NOT_SIGNED_IN = { status: 401, message: "User not signed in", code: "not-signed-in" } as const;

/** Message for every area. Only the statuses differ. */
const UNKNOWN_TOKEN =
  "Token not valid: it belongs to no user of this server. Check it, or ask the server's administrator for a new one.";

const ANY: Area = {
  statusOf: {},
  showsFaults: false,
  nobody: NOT_SIGNED_IN,
  failure: {
    unknown: { status: 403, message: UNKNOWN_TOKEN, code: "unknown-token", reanaMessage: "Token not valid." },
    revoked: REVOKED,
    expired: EXPIRED,
    disabled: DISABLED,
  },
  notAdmin: NOT_PERMITTED,
};

const AREAS: readonly (readonly [prefix: string, Area])[] = [
  // About the caller's own sharing, although the addresses are below one for the administrator.
  ["/api/users/shared-with-you", ANY],
  ["/api/users/you-shared-with", ANY],
  [
    "/api/users",
    {
      // REANA's contract: "For any other failure the status is 500".
      statusOf: { malformed: 403, conflict: 403, "no-space": 500, unavailable: 500 },
      showsFaults: true,
      nobody: NOT_PERMITTED,
      failure: {
        unknown: NOT_PERMITTED,
        revoked: NOT_PERMITTED,
        expired: NOT_PERMITTED,
        disabled: NOT_PERMITTED,
      },
      notAdmin: NOT_PERMITTED,
    },
  ],
  [
    "/api/workflows",
    {
      ...ANY,
      failure: {
        ...ANY.failure,
        unknown: {
          status: 404,
          message: UNKNOWN_TOKEN,
          code: "unknown-token",
          reanaMessage: "User does not exist.",
        },
      },
    },
  ],
];

export function areaOfPath(path: string): Area {
  return AREAS.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1] ?? ANY;
}

/** Returns the area of a request, by the matched route and never by the text of the address. */
export function areaOf(request: FastifyRequest): Area {
  return areaOfPath(request.routeOptions.url ?? "");
}
