import { createHash } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import type { Route } from "#api/http/endpoint";
import { ROUTES } from "#api/routes";
import { WEB_PAGE_ADDRESSES } from "#api/service/web-page/web-page";
import { apiFixture, type FixtureUser } from "../support/api-fixture.ts";
import { oneRun } from "#store/runs/runs";
import { addMember, insertGroup } from "#store/sharing/groups";
import { insertShare } from "#store/sharing/shares";
import { issueToken } from "#operations/users/tokens";
import type { TokenLimits } from "#operations/users/token-limits";
import { TOKEN_SCOPES, type TokenScope } from "#workflow/people/token-scope";
import { registerHost, signOffHost } from "#store/hosts/hosts";

/** The status that each kind of caller gets from each route. */
const api = await apiFixture();
afterAll(() => api.close());

interface Row {
  readonly nobody: number;
  readonly unknown: number;
  readonly revoked: number;
  readonly disabled: number;
  /** A user, but not the one whose run it is. */
  readonly stranger: number;
  readonly owner: number;
  readonly admin: number;
  /** A user with whom the run is shared. Absent: reading is as for the owner, anything else is refused. */
  readonly shared?: number;
  /** A member of a group with which the run is shared. Absent: as `shared`. */
  readonly member?: number;
  /** Scope that a token needs. Absent: see `scopeOf`. */
  readonly scope?: TokenScope;
}

/**
 * Callers without a column: a user with whom the run was shared until a moment ago, the owner with a token that only
 * reads, that manages runs, or that has expired, and the administrator with a token that only reads.
 */
type Who =
  | Exclude<keyof Row, "scope">
  | "formerReader"
  | "readOnly"
  | "runsOnly"
  | "expiredToken"
  | "readOnlyAdmin";

const OPEN: Row = {
  nobody: 200,
  unknown: 200,
  revoked: 200,
  disabled: 200,
  stranger: 200,
  owner: 200,
  admin: 200,
};
/** Everybody's own things: no stranger to them. */
const OWN: Row = {
  nobody: 401,
  unknown: 404,
  revoked: 403,
  disabled: 403,
  stranger: 200,
  owner: 200,
  admin: 200,
};
/** One run's things: the administrator is a stranger to them, too. */
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
const ADMIN: Row = { ...USERS, nobody: 401 };

/** Routes that have this in their path get the row, unless they have one of their own. Every other route needs one. */
const BY_PATH: readonly (readonly [part: string, Row])[] = [
  ["/api/admin/", ADMIN],
  ["{workflow_id_or_name", ONE_RUN],
];

const MATRIX: Readonly<Record<string, Row>> = {
  "GET /api/ping": OPEN,
  "GET /api/users": USERS,
  "POST /api/users": { ...USERS, admin: 201 },

  "GET /api/you": { ...OWN, unknown: 403 },
  "GET /api/info": { ...OWN, unknown: 403 },
  "GET /api/config": OPEN,
  "GET /api/status": { ...OWN, unknown: 403 },
  "PUT /api/token": { ...OWN, unknown: 403, stranger: 409, owner: 409, admin: 409 },
  "GET /api/session": { ...OWN, unknown: 403 },
  // Without a code.
  "POST /api/session": NO_PAGE,
  "DELETE /api/session": { ...OWN, unknown: 403 },
  "POST /api/session/codes": { ...OWN, unknown: 403, stranger: 201, owner: 201, admin: 201 },
  "GET /api/tokens": { ...OWN, unknown: 403 },
  "POST /api/tokens": { ...OWN, unknown: 403, stranger: 201, owner: 201, admin: 201 },
  // Without a code that works.
  "POST /api/tokens/redeem": NO_PAGE,
  // Somebody else's.
  "DELETE /api/tokens/{token}": { ...OWN, unknown: 403, stranger: 404, owner: 404, admin: 404 },
  "DELETE /api/token": ADMIN,
  "GET /api/quota": ADMIN,
  "POST /api/quota": ADMIN,
  "PATCH /api/quota": ADMIN,
  "GET /api/users/shared-with-you": { ...OWN, unknown: 403 },
  "GET /api/users/you-shared-with": { ...OWN, unknown: 403 },

  "GET /api/groups": { ...OWN, unknown: 403 },
  "POST /api/groups": { ...OWN, unknown: 403, stranger: 201, owner: 201, admin: 201 },
  // The owner's.
  "GET /api/groups/{group}": { ...OWN, unknown: 403, stranger: 404, member: 200 },
  "DELETE /api/groups/{group}": { ...OWN, unknown: 403, stranger: 403 },
  "PUT /api/groups/{group}/members/{user}": { ...OWN, unknown: 403, stranger: 403 },
  "DELETE /api/groups/{group}/members/{user}": { ...OWN, unknown: 403, stranger: 403 },
  "GET /api/secrets": { ...OWN, unknown: 403 },
  "POST /api/secrets": { ...OWN, unknown: 403, stranger: 201, owner: 201, admin: 201 },
  "DELETE /api/secrets": { ...OWN, unknown: 403 },

  "GET /api/workflows": OWN,
  "GET /api/workflow-names": { ...OWN, unknown: 403 },
  "POST /api/workflows": { ...OWN, stranger: 201, owner: 201, admin: 201 },
  // Without a bundle.
  "POST /api/workflows/validate": { ...OWN, stranger: 400, owner: 400, admin: 400 },
  // An address that is none: whoever may launch is told so.
  "POST /api/launch": { ...OWN, unknown: 403, stranger: 400, owner: 400, admin: 400 },
  "POST /api/workflows/{workflow_id_or_name}/restart": { ...ONE_RUN, owner: 409 },
  // There are no sessions.
  "POST /api/workflows/{workflow_id_or_name}/open/{type}": { ...ONE_RUN, owner: 404 },
  "POST /api/workflows/{workflow_id_or_name}/close": { ...ONE_RUN, owner: 404 },
  "GET /api/workflows/{workflow_id_or_name}/interactive-session-secret": {
    ...ONE_RUN,
    owner: 404,
    shared: 403,
    scope: "runs",
  },
  // Without saying with whom.
  "POST /api/workflows/{workflow_id_or_name}/share": { ...ONE_RUN, owner: 400, scope: "everything" },
  // Only the owner is told with whom.
  "GET /api/workflows/{workflow_id_or_name}/share-status": { ...ONE_RUN, shared: 403 },
  "POST /api/workflows/{workflow_id_or_name}/unshare": { ...ONE_RUN, owner: 409, scope: "everything" },
  // The owner's has not been started: there is nothing to run once more.
  "GET /api/workflows/{workflow_id_or_name}/restart-plan": { ...ONE_RUN, owner: 409, shared: 403 },
  "POST /api/workflows/{workflow_id_or_name}/restart-plan": { ...ONE_RUN, owner: 409 },
  "POST /api/workflows/{workflow_id_or_name}/rerun": { ...ONE_RUN, owner: 409 },

  "POST /api/workflows/{workflow_id_or_name}/uploads": { ...ONE_RUN, owner: 201 },
  "GET /api/workflows/{workflow_id_or_name}/uploads/{upload}": { ...ONE_RUN, shared: 403 },

  "POST /api/admin/invitations": { ...ADMIN, admin: 201 },
  "POST /api/admin/users/{user}/tokens": { ...ADMIN, admin: 201 },

  "GET /api/openapi.json": OPEN,
  "GET /api/docs": OPEN,
  "GET /healthz": OPEN,
  "GET /readyz": OPEN,
  "GET /metrics": ADMIN,
};

const SPECIFICATION = {
  inputs: {},
  workflow: { type: "serial", specification: { steps: [{ environment: "any", commands: ["true"] }] } },
};

const owner = await api.makeUser("owner@example.org");
const [reader, formerReader, member] = [await api.makeUser(), await api.makeUser(), await api.makeUser()];
const tokens: Readonly<Record<Who, string | undefined>> = {
  nobody: undefined,
  unknown: "reprise.00000000.nobodys",
  revoked: (await api.makeRevokedUser()).token,
  disabled: (await api.makeDisabledUser()).token,
  stranger: (await api.makeUser()).token,
  owner: owner.token,
  admin: api.adminToken,
  shared: reader.token,
  member: member.token,
  formerReader: formerReader.token,
  readOnly: await limitedToken(owner.id, { scope: "read" }),
  runsOnly: await limitedToken(owner.id, { scope: "runs" }),
  expiredToken: await limitedToken(owner.id, { days: 0 }),
  readOnlyAdmin: await limitedToken(api.admin.id, { scope: "read" }),
};

async function limitedToken(user: string, limits: TokenLimits): Promise<string> {
  return (await issueToken(api.operations, { user, revokeOthers: false, limits })).token;
}

await registerHost(api.operations.db, { id: "gone", name: "gone" });
await signOffHost(api.operations.db, "gone");

/** A new run of the owner's for each cell, so that no cell spoils the next; and a user for the administrator. */
async function targets(): Promise<{ run: string; user: FixtureUser }> {
  const T = `access_token=${tokens.owner}`;
  const created = await api.inject({ method: "POST", url: `/api/workflows?${T}`, payload: SPECIFICATION });
  const run: string = created.json().workflow_id;
  const hasWorkspace = ROUTES.some((route) => route.operation === "upload-file");
  if (hasWorkspace) {
    const url = `/api/workflows/${run}/workspace?file_name=a.txt&${T}`;
    await api.inject({ method: "POST", url, payload: "a" });
  }
  await shareWithReaders(run);
  return { run, user: await api.makeUser() };
}

const GROUP = "physicists";
const groupId = await makeGroup(GROUP);

/** Makes a group of the owner's with one member. */
async function makeGroup(name: string): Promise<string> {
  const { db, random } = api.operations;
  const id = random.uuid();
  await insertGroup(db, { id, name, ownerId: owner.id, createdAtMs: 0 });
  await addMember(db, { groupId: id, userId: member.id }, 0);
  return id;
}

let groups = 0;

/** Returns a new group with one more member, so that no cell spoils the next. */
async function groupWith({ id }: FixtureUser): Promise<string> {
  const name = `group-${(groups += 1)}`;
  await addMember(api.operations.db, { groupId: await makeGroup(name), userId: id }, 0);
  return name;
}

async function shareWithReaders(id: string): Promise<void> {
  const { db, clock } = api.operations;
  const { seq: runSeq, ownerId } = await oneRun(db, id);
  const share = { runSeq, ownerId, message: null, isHidden: false, sharedAtMs: clock.now() };
  await insertShare(db, { ...share, granteeId: reader.id, expiresAtMs: clock.now() + 3_600_000 });
  await insertShare(db, { ...share, granteeId: formerReader.id, expiresAtMs: clock.now() });
  await insertShare(db, { ...share, granteeId: groupId, expiresAtMs: null });
}

let begun: Promise<string> | undefined;

/** One run whose first job is there, for all who only look at it. */
async function begunRun(): Promise<string> {
  const T = `access_token=${tokens.owner}`;
  const { run } = await targets();
  await api.inject({ method: "POST", url: `/api/workflows/${run}/start?${T}` });
  const jobs = async () => (await api.inject(`/api/workflows/${run}/jobs?${T}`)).json<{ total: number }>();
  await expect.poll(async () => (await jobs()).total).toBe(1);
  return run;
}

const CONTENT = "content";
const FILE_RECORD = `{"name": "b.txt", "bytes": 1}\nb`;
const ANNOUNCED = {
  file_name: "c.txt",
  size: CONTENT.length,
  sha256: createHash("sha256").update(CONTENT).digest("hex"),
};

/** An upload in parts, all of which have come. */
async function begunUpload(run: string): Promise<string> {
  const T = `access_token=${tokens.owner}`;
  const url = `/api/workflows/${run}/uploads`;
  const announced = await api.inject({ method: "POST", url: `${url}?${T}`, payload: ANNOUNCED });
  const id = announced.json<{ upload_id: string }>().upload_id;
  await api.inject({ method: "PUT", url: `${url}/${id}?offset=0&${T}`, payload: CONTENT });
  return id;
}

/** A run that has ended: the events of a live one would never end. */
async function deleteRun(run: string): Promise<void> {
  const url = `/api/workflows/${run}/status?status=deleted&access_token=${tokens.owner}`;
  await api.inject({ method: "PUT", url });
}

async function ask(route: Route, who: Who, { run, user }: Awaited<ReturnType<typeof targets>>) {
  if (route.operation === "follow-run") await deleteRun(run);
  const isOfGroup = route.path.includes("{group}");
  const isOfJob = route.path.includes("{job}");
  const path = route.path
    .replace("{workflow_id_or_name}", isOfJob ? await (begun ??= begunRun()) : run)
    .replace(/\{(workflow_id_or_name_[ab]|other)\}/g, run)
    .replace("{user}", user.id)
    .replace("{group}", isOfGroup ? await groupWith(user) : "")
    .replace("{host}", "gone")
    .replace("{job}", "0.0")
    .replace("{type}", "jupyter")
    .replace("{upload}", route.path.includes("{upload}") ? await begunUpload(run) : "")
    .replace("{token}", user.id)
    .replace("{file_name*}", "a.txt");
  const query = new URLSearchParams({
    ...(route.operation === "create-user" && { email: `${who}@new.example.org` }),
    ...(route.operation === "change-status" && { status: "deleted" }),
    ...(route.operation === "upload-file" && { file_name: "b.txt" }),
    ...(route.operation === "download-files" && { name: "a.txt" }),
    ...(route.operation === "move-files" && { source: "a.txt", target: "b.txt" }),
    ...(route.operation === "upload-part" && { offset: "0" }),
    ...(route.operation === "get-quota" && { resource_type: "cpu", user_id: user.id }),
    ...(route.operation === "unshare-workflow" && { user_email_to_unshare_with: user.email }),
    ...(tokens[who] !== undefined && { access_token: tokens[who] }),
  });
  const bodies: Readonly<Record<string, object>> = {
    "revoke-token": { email: user.email },
    "set-quota": { user_id: user.id, resource_type: "cpu", limit: 0 },
    "set-quota-period": { user_id: user.id, resource_type: "cpu", quota_period_months: null },
    "add-secrets": { NAME: { type: "env", value: "eA==" } },
    "delete-secrets": [],
    "launch-workflow": { url: "file:///nowhere" },
    "create-workflow": SPECIFICATION,
    "sign-in": { code: "none" },
    "issue-own-token": { name: "notebook" },
    "redeem-code": { code: "none", name: "laptop" },
    "invite-user": { email: user.email },
    "create-group": { name: `${who}s` },
    "begin-upload": ANNOUNCED,
  };
  const upload = route.operation === "upload-files" ? FILE_RECORD : CONTENT;
  const payload = route.upload ? upload : bodies[route.operation];
  return api.inject({
    method: route.method,
    url: `${path}?${query.toString()}`,
    ...(payload && { payload }),
  });
}

/** Returns what each kind of caller gets. */
function cellsOf({ method, path }: Route, row: Row): [Who, number][] {
  const isOfRun = path.includes("{workflow_id_or_name");
  const reads = method === "GET" ? row.owner : 403;
  const shared = row.shared ?? (isOfRun ? reads : row.stranger);
  const { scope = scopeOf(method, path, row), ...columns } = row;
  const opens = (held: TokenScope, full: number) =>
    TOKEN_SCOPES.indexOf(held) >= TOKEN_SCOPES.indexOf(scope) ? full : 403;
  return Object.entries({
    ...columns,
    shared,
    member: row.member ?? shared,
    formerReader: row.stranger,
    readOnly: opens("read", row.owner),
    runsOnly: opens("runs", row.owner),
    expiredToken: row.revoked,
    readOnlyAdmin: opens("read", row.admin),
  }) as [Who, number][];
}

/** Reading runs needs the least, changing them more, and whatever is not about runs everything. */
function scopeOf(method: string, path: string, row: Row): TokenScope {
  if (row.nobody === 200) return "read";
  if (row.owner === 403 && row.admin !== 403) return "everything";
  if (method === "GET") return "read";
  return /^\/api\/(workflows|launch)/.test(path) ? "runs" : "everything";
}

function maybeRow(method: string, path: string): Row | undefined {
  return MATRIX[`${method} ${path}`] ?? BY_PATH.find(([part]) => path.includes(part))?.[1];
}

test("a route that names a run is closed to strangers, and any other has a row of its own", () => {
  expect(maybeRow("GET", "/api/workflows/{workflow_id_or_name}/new")).toMatchObject({ stranger: 403 });
  expect(maybeRow("GET", "/api/admin/new")).toMatchObject({ owner: 403 });
  expect(maybeRow("GET", "/api/new")).toBeUndefined();
  const known = new Set(ROUTES.map(({ method, path }) => `${method} ${path}`));
  expect(Object.keys(MATRIX).filter((name) => !known.has(name))).toEqual([]);
});

describe.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "%s",
  (_name, route) => {
    const row = maybeRow(route.method, route.path);

    test("has a row", () => {
      expect(row).toBeDefined();
    });

    test.each(row ? cellsOf(route, row) : [])("%s gets %i", async (who, status) => {
      const reply = await ask(route, who, await targets());
      expect([reply.statusCode, reply.statusCode === status ? "" : reply.body]).toEqual([status, ""]);
      if (status >= 400)
        expect(reply.json()).toEqual({ message: expect.any(String), code: expect.any(String) });
    });
  },
);

test("no route answers that is not in the table", () => {
  // Whatever came to the server by another way than the table would have no access of its own.
  const answering = [...api.app.printRoutes({ commonPrefix: false }).matchAll(/\(([A-Z, ]+)\)/g)];
  const methods = answering.flatMap(([, list]) => list!.split(", ")).filter((method) => method !== "HEAD");
  const known = [...ROUTES.map((route) => route.method as string), ...WEB_PAGE_ADDRESSES.map(() => "GET")];
  expect(methods.sort()).toEqual(known.sort());
});
