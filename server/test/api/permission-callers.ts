import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Route } from "#api/http/endpoint";
import { ROUTES } from "#api/routes";
import { registerHost, signOffHost } from "#store/hosts/hosts";
import { apiFixture, type FixtureUser } from "../support/api-fixture.ts";
import { LIMITS } from "../support/server-parts.ts";
import { makeCallers } from "./caller-kinds.ts";
import type { Who } from "./permission-matrix.ts";

/** A server with a caller of each kind, and a request to each route. */
export const api = await apiFixture({ parts: { limits: { ...LIMITS, maxRunsAtOnce: 100 } } });

const SPECIFICATION = {
  inputs: {},
  workflow: { type: "serial", specification: { steps: [{ environment: "any", commands: ["true"] }] } },
};

const { tokens, headers, browsers, makeGroup, share } = await makeCallers(api);

await registerHost(api.operations.db, { id: "gone", name: "gone" });
await signOffHost(api.operations.db, "gone");

/** A new run of the owner's for each cell, so that no cell spoils the next; and a user for the administrator. */
export async function targets(): Promise<{ run: string; user: FixtureUser }> {
  const T = `access_token=${tokens.owner}`;
  const created = await api.inject({ method: "POST", url: `/api/workflows?${T}`, payload: SPECIFICATION });
  const run: string = created.json().workflow_id;
  const hasWorkspace = ROUTES.some((route) => route.operation === "upload-file");
  if (hasWorkspace) {
    const url = `/api/workflows/${run}/workspace?file_name=a.txt&${T}`;
    await api.inject({ method: "POST", url, payload: "a" });
  }
  await share(run);
  return { run, user: await api.makeUser() };
}

let groups = 0;

/** Returns a new group with an additional member. Each cell needs a group of its own. */
async function groupWith(user: FixtureUser): Promise<string> {
  const name = `group-${(groups += 1)}`;
  await makeGroup(name, user);
  return name;
}

// The first run makes the server load its engines, a delay unrelated to the first cell.
await targets();

let begun: Promise<string> | undefined;

/** Returns a run whose first job is recorded. All read-only callers share the run. */
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

/** Returns an upload in parts with all parts received. */
async function begunUpload(run: string): Promise<string> {
  const T = `access_token=${tokens.owner}`;
  const url = `/api/workflows/${run}/uploads`;
  const announced = await api.inject({ method: "POST", url: `${url}?${T}`, payload: ANNOUNCED });
  const id = announced.json<{ upload_id: string }>().upload_id;
  await api.inject({ method: "PUT", url: `${url}/${id}?offset=0&${T}`, payload: CONTENT });
  return id;
}

/** Deletes a run, because the event stream of a live run would never end. */
async function deleteRun(run: string): Promise<void> {
  const url = `/api/workflows/${run}/status?status=deleted&access_token=${tokens.owner}`;
  await api.inject({ method: "PUT", url });
}

export async function askAs(route: Route, who: Who, { run, user }: Awaited<ReturnType<typeof targets>>) {
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
    .replace("{provider}", "github")
    .replace("{notification}", user.id)
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
    announce: { announcement: "Hello." },
    "extend-retention": { extend_days: 30 },
    "add-secrets": { [`NAME_${who}`]: { type: "env", value: "eA==" } },
    "delete-secrets": [],
    "launch-workflow": { url: "file:///nowhere" },
    "create-workflow": SPECIFICATION,
    login: { email: "x@example.org", password: "none" },
    "sign-in": { code: "none" },
    "complete-provider-sign-in": { attempt: "none", answer: "?code=none" },
    "switch-shadows": { on: true },
    "switch-shadows-of-user": { on: true },
    "complete-device-sign-in": { attempt: "none", name: "laptop" },
    "end-provider-sessions": { logout_token: "none" },
    "issue-own-token": { name: "notebook" },
    "redeem-code": { code: "none", name: "laptop" },
    "invite-user": { email: user.email },
    "add-notification": { to: "https://example.org/" },
    "add-gitlab-webhook": { project_id: "1" },
    "remove-gitlab-webhook": { project_id: "1", hook_id: 1 },
    "create-group": { name: `${who}s` },
    "begin-upload": ANNOUNCED,
  };
  const upload = route.operation === "upload-files" ? FILE_RECORD : CONTENT;
  const payload = route.upload ? upload : bodies[route.operation];
  const sent = headers[who] ?? (await browsers[who]?.());
  return api.inject({
    method: route.method,
    url: `${path}?${query.toString()}`,
    ...(sent && { headers: sent }),
    ...(payload && { payload }),
  });
}
