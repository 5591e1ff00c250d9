import type { Route } from "#api/http/endpoint";
import { TOKEN_SCOPES, type TokenScope } from "#workflow/people/token-scope";

/** The status that each kind of caller gets from each route. */
export interface Row {
  readonly nobody: number;
  readonly unknown: number;
  readonly revoked: number;
  readonly disabled: number;
  /** A user who does not own the run. */
  readonly stranger: number;
  readonly owner: number;
  readonly admin: number;
  /**
   * A user with whom the run is shared. Default: reading is as for the owner, every other request is refused.
   */
  readonly shared?: number;
  /** A member of a group with which the run is shared. Default: as `shared`. */
  readonly member?: number;
  /** A maintainer of that group. Default: as `member`, as a viewer of the group always is. */
  readonly maintainer?: number;
  /** A request from the server's own page, without credentials. Default: as `nobody`. */
  readonly page?: number;
  /** The owner in a browser, signed in by a provider. Default: as a request from the page if that differs, or the owner. */
  readonly browser?: number;
  /** Required scope of a token. Default: see `scopeOf`. */
  readonly scope?: TokenScope;
}

/**
 * Callers without a column: a user with whom the run was shared until a moment ago, the owner with a token that only
 * reads, that manages runs, or that has expired, the administrator with a token that only reads, and a program that has
 * the cookie of the administrator's browser, but not the key of its page, and sends the headers of the page itself.
 * And people whom a provider has signed in on the page: a stranger, the administrator, a person who was disabled since,
 * and the owner after the session was closed. The owner's device has a token that a provider opened.
 */
export type Who =
  | Exclude<keyof Row, "scope" | "page">
  | "viewer"
  | "device"
  | "browserOfStranger"
  | "browserOfAdmin"
  | "browserOfDisabled"
  | "closedBrowser"
  | "formerReader"
  | "readOnly"
  | "runsOnly"
  | "expiredToken"
  | "readOnlyAdmin"
  | "cookieAlone"
  | "cookieAndWrongKey";

const OPEN: Row = {
  nobody: 200,
  unknown: 200,
  revoked: 200,
  disabled: 200,
  stranger: 200,
  owner: 200,
  admin: 200,
};
/** Resources of the caller. Every user is an owner here, so a stranger is not refused. */
const OWN: Row = {
  nobody: 401,
  unknown: 404,
  revoked: 403,
  disabled: 403,
  stranger: 200,
  owner: 200,
  admin: 200,
};
/** Endpoints of a single run. The administrator is a stranger to it, too. */
const ONE_RUN: Row = { ...OWN, stranger: 403, admin: 403 };
const USERS: Row = {
  nobody: 403,
  unknown: 403,
  revoked: 403,
  disabled: 403,
  stranger: 403,
  owner: 403,
  admin: 200,
};
/** No request of this test comes from the server's own page. */
const NO_PAGE: Row = {
  nobody: 403,
  unknown: 403,
  revoked: 403,
  disabled: 403,
  stranger: 403,
  owner: 403,
  admin: 403,
};
/** A provider that the server does not have, named by anybody. */
const ABSENT: Row = {
  scope: "read",
  nobody: 404,
  unknown: 404,
  revoked: 404,
  disabled: 404,
  stranger: 404,
  owner: 404,
  admin: 404,
};
/** Calls of REANA's web page, refused by this server. */
const NOT_OFFERED: Row = {
  scope: "read",
  nobody: 501,
  unknown: 501,
  revoked: 501,
  disabled: 501,
  stranger: 501,
  owner: 501,
  admin: 501,
};
const ADMIN: Row = { ...USERS, nobody: 401 };

/**
 * Rows of routes by a part of the path. A route without such a part needs a row of its own, and a row of its
 * own has precedence.
 */
const BY_PATH: readonly (readonly [part: string, Row])[] = [
  ["/api/admin/", ADMIN],
  ["{workflow_id_or_name", ONE_RUN],
];

export const MATRIX: Readonly<Record<string, Row>> = {
  "GET /api/ping": OPEN,
  "GET /api/users": USERS,
  "POST /api/users": { ...USERS, admin: 201 },

  "GET /api/you": { ...OWN, unknown: 403 },
  "GET /api/info": { ...OWN, unknown: 403 },
  "GET /api/config": OPEN,
  "GET /api/status": { ...OWN, unknown: 403 },
  "PUT /api/token": { ...OWN, unknown: 403, stranger: 409, owner: 409, admin: 409 },
  // The setting is off.
  "POST /api/login": NO_PAGE,
  "POST /api/logout": { ...OWN, unknown: 403, scope: "read" },
  "POST /api/register": NOT_OFFERED,
  "POST /api/confirm-email": NOT_OFFERED,
  "GET /api/oauth/login/{provider}": NOT_OFFERED,
  "GET /api/session": { ...OWN, unknown: 403 },
  // Without a code.
  "POST /api/session": NO_PAGE,
  "DELETE /api/session": { ...OWN, unknown: 403 },
  "GET /api/session/providers": { ...OWN, unknown: 403 },
  // A provider that the server does not have.
  "POST /api/session/providers/{provider}": { ...NO_PAGE, page: 404 },
  "DELETE /api/session/providers/{provider}": { ...NO_PAGE, nobody: 401, browser: 404 },
  "POST /api/session/providers/{provider}/answer": { ...NO_PAGE, page: 404 },
  "POST /api/session/providers/{provider}/logout": ABSENT,
  "POST /api/session/providers/{provider}/device": ABSENT,
  "POST /api/session/providers/{provider}/device/answer": ABSENT,
  "POST /api/session/providers/{provider}/add": { ...NO_PAGE, nobody: 401, browser: 404 },
  "POST /api/session/codes": { ...OWN, unknown: 403, stranger: 201, owner: 201, admin: 201 },
  "GET /api/shadows": { ...OWN, unknown: 403 },
  "PUT /api/shadows": { ...OWN, unknown: 403 },
  // Nobody asks to open the account.
  "PUT /api/admin/users/{user}/provider": { ...ADMIN, admin: 404 },
  "DELETE /api/admin/users/{user}/provider": { ...ADMIN, admin: 404 },
  "GET /api/tokens": { ...OWN, unknown: 403 },
  "POST /api/tokens": { ...OWN, unknown: 403, stranger: 201, owner: 201, admin: 201 },
  // Without a valid code.
  "POST /api/tokens/redeem": NO_PAGE,
  // Somebody else's.
  "DELETE /api/tokens/{token}": { ...OWN, unknown: 403, stranger: 404, owner: 404, admin: 404 },
  "DELETE /api/token": ADMIN,
  "GET /api/quota": ADMIN,
  "POST /api/quota": ADMIN,
  "PATCH /api/quota": ADMIN,
  "GET /api/admin/policies": ADMIN,
  "PUT /api/admin/policies/{group}": ADMIN,
  "GET /api/users/shared-with-you": { ...OWN, unknown: 403 },
  "GET /api/users/you-shared-with": { ...OWN, unknown: 403 },

  // Without a digest.
  "GET /api/origin": { ...OWN, unknown: 403, stranger: 400, owner: 400, admin: 400 },

  "GET /api/groups": { ...OWN, unknown: 403 },
  "POST /api/groups": { ...OWN, unknown: 403, stranger: 201, owner: 201, admin: 201 },
  // The owner's.
  "GET /api/groups/{group}": { ...OWN, unknown: 403, stranger: 404, member: 200 },
  "DELETE /api/groups/{group}": { ...OWN, unknown: 403, stranger: 403 },
  "PUT /api/groups/{group}/members/{user}": { ...OWN, unknown: 403, stranger: 403, maintainer: 200 },
  "DELETE /api/groups/{group}/members/{user}": { ...OWN, unknown: 403, stranger: 403, maintainer: 200 },
  "GET /api/secrets": { ...OWN, unknown: 403 },
  "POST /api/secrets": { ...OWN, unknown: 403, stranger: 201, owner: 201, admin: 201 },
  "DELETE /api/secrets": { ...OWN, unknown: 403 },

  "GET /api/notifications": { ...OWN, unknown: 403, scope: "everything" },
  "POST /api/notifications": { ...OWN, unknown: 403, stranger: 201, owner: 201, admin: 201 },
  // Somebody else's.
  "DELETE /api/notifications/{notification}": { ...OWN, unknown: 403, stranger: 404, owner: 404, admin: 404 },
  "POST /api/notifications/{notification}/test": {
    ...OWN,
    unknown: 403,
    stranger: 404,
    owner: 404,
    admin: 404,
  },

  // This server is not connected to GitLab.
  "GET /api/gitlab/projects": { ...OWN, unknown: 403, stranger: 501, owner: 501, admin: 501 },
  "POST /api/gitlab/webhook": { ...OWN, unknown: 403, stranger: 501, owner: 501, admin: 501 },
  "DELETE /api/gitlab/webhook": { ...OWN, unknown: 403, stranger: 501, owner: 501, admin: 501 },

  "GET /api/workflows": OWN,
  "GET /api/workflow-names": { ...OWN, unknown: 403 },
  "POST /api/workflows": { ...OWN, stranger: 201, owner: 201, admin: 201 },
  // Without a bundle.
  "POST /api/workflows/validate": { ...OWN, stranger: 400, owner: 400, admin: 400 },
  // The address is malformed, so every caller with the right to launch gets 400.
  "POST /api/launch": { ...OWN, unknown: 403, stranger: 400, owner: 400, admin: 400 },
  "POST /api/workflows/{workflow_id_or_name}/restart": { ...ONE_RUN, owner: 409 },
  // The run has no open notebook.
  "POST /api/workflows/{workflow_id_or_name}/open/{type}": { ...ONE_RUN, owner: 404 },
  "POST /api/workflows/{workflow_id_or_name}/close": { ...ONE_RUN, owner: 404 },
  "GET /api/workflows/{workflow_id_or_name}/interactive-session-secret": {
    ...ONE_RUN,
    owner: 404,
    shared: 403,
    scope: "runs",
  },
  // The run has no Dask cluster.
  "GET /api/workflows/{workflow_id_or_name}/dask-dashboard": {
    ...ONE_RUN,
    owner: 404,
    shared: 403,
    scope: "runs",
  },
  // Without saying what.
  "PUT /api/workflows/{workflow_id_or_name}/notes": { ...ONE_RUN, owner: 400 },
  // The owner's run has no rule. The administrator may extend the rules of any run.
  "PATCH /api/workflows/{workflow_id_or_name}/retention_rules": { ...ONE_RUN, owner: 409, admin: 409 },
  // Without saying with whom.
  "POST /api/workflows/{workflow_id_or_name}/share": { ...ONE_RUN, owner: 400, scope: "everything" },
  // Only the owner learns with whom.
  "GET /api/workflows/{workflow_id_or_name}/share-status": { ...ONE_RUN, shared: 403 },
  "POST /api/workflows/{workflow_id_or_name}/unshare": { ...ONE_RUN, owner: 409, scope: "everything" },
  // The owner's run has not been started, and therefore cannot be run again.
  "GET /api/workflows/{workflow_id_or_name}/restart-plan": { ...ONE_RUN, owner: 409, shared: 403 },
  "POST /api/workflows/{workflow_id_or_name}/restart-plan": { ...ONE_RUN, owner: 409 },
  "POST /api/workflows/{workflow_id_or_name}/rerun": { ...ONE_RUN, owner: 409 },
  "POST /api/workflows/{workflow_id_or_name}/verify": { ...ONE_RUN, owner: 409 },
  "GET /api/workflows/{workflow_id_or_name}/publication": ONE_RUN,
  // The run has not ended.
  "POST /api/workflows/{workflow_id_or_name}/publication": { ...ONE_RUN, owner: 409, scope: "everything" },
  // The run declares no destination.
  "POST /api/workflows/{workflow_id_or_name}/publish-outputs": { ...ONE_RUN, owner: 409 },
  "GET /api/workflows/{workflow_id_or_name}/crate": { ...ONE_RUN, owner: 409, shared: 409 },
  // The run has not been verified.
  "GET /api/workflows/{workflow_id_or_name}/verification": { ...ONE_RUN, owner: 404, shared: 404 },
  "GET /api/workflows/{workflow_id_or_name}/verification/plan": ONE_RUN,
  "GET /api/workflows/{workflow_id_or_name}/verification/certificate": {
    ...ONE_RUN,
    owner: 404,
    shared: 404,
  },
  "POST /api/workflows/{workflow_id_or_name}/verification/repetitions": {
    ...ONE_RUN,
    owner: 404,
    shared: 404,
  },

  "POST /api/workflows/{workflow_id_or_name}/uploads": { ...ONE_RUN, owner: 201 },
  "GET /api/workflows/{workflow_id_or_name}/uploads/{upload}": { ...ONE_RUN, shared: 403 },

  // This server does not send e-mail.
  "POST /api/admin/report": { ...ADMIN, admin: 409 },
  "POST /api/admin/invitations": { ...ADMIN, admin: 201 },
  "POST /api/admin/users/{user}/tokens": { ...ADMIN, admin: 201 },

  // The id belongs to no token.
  "DELETE /api/admin/users/{user}/tokens/{token}": { ...ADMIN, admin: 404 },
  // The id of a job is not its key.
  "POST /api/admin/jobs/{job}/declare-lost": { ...ADMIN, admin: 404 },

  "GET /api/openapi.json": OPEN,
  "GET /api/docs": OPEN,
  "GET /healthz": OPEN,
  "GET /readyz": OPEN,
  "GET /metrics": ADMIN,
};

/** Returns the expected status for each kind of caller. */
export function cellsOf({ method, path }: Route, row: Row): [Who, number][] {
  const isOfRun = path.includes("{workflow_id_or_name");
  const reads = method === "GET" ? row.owner : 403;
  const shared = row.shared ?? (isOfRun ? reads : row.stranger);
  const { scope = scopeOf(method, path, row), page = row.nobody, browser = row.page, ...columns } = row;
  const opens = (held: TokenScope, full: number) =>
    TOKEN_SCOPES.indexOf(held) >= TOKEN_SCOPES.indexOf(scope) ? full : 403;
  return Object.entries({
    ...columns,
    shared,
    member: row.member ?? shared,
    viewer: row.member ?? shared,
    maintainer: row.maintainer ?? row.member ?? shared,
    device: row.owner,
    formerReader: row.stranger,
    readOnly: opens("read", row.owner),
    runsOnly: opens("runs", row.owner),
    expiredToken: row.revoked,
    readOnlyAdmin: opens("read", row.admin),
    cookieAlone: page,
    cookieAndWrongKey: page,
    browser: browser ?? row.owner,
    browserOfStranger: browser ?? row.stranger,
    browserOfAdmin: browser ?? row.admin,
    browserOfDisabled: row.page ?? row.disabled,
    closedBrowser: page,
  }) as [Who, number][];
}

/** Reading runs needs the narrowest scope, changing runs a wider one, and everything else the widest. */
function scopeOf(method: string, path: string, row: Row): TokenScope {
  if (row.nobody === 200) return "read";
  if (row.owner === 403 && row.admin !== 403) return "everything";
  if (method === "GET") return "read";
  return /^\/api\/(workflows|launch)/.test(path) ? "runs" : "everything";
}

export function maybeRow(method: string, path: string): Row | undefined {
  return MATRIX[`${method} ${path}`] ?? BY_PATH.find(([part]) => path.includes(part))?.[1];
}
