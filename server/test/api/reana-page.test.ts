import { afterAll, describe, expect, test } from "vitest";
import { apiFixture } from "../support/api-fixture.ts";
import { newBrowserSession, OWN_PAGE } from "../support/browser-session.ts";
import { createRun, serial } from "../support/run-rows.ts";

/**
 * Makes the calls of REANA's web page, in the page's forms, and checks the fields read by the page. A proxy
 * serves the page and passes `/api` on, and the page knows its user by a cookie alone.
 */
const api = await apiFixture({ config: { host: "0.0.0.0", reanaUi: true } });
afterAll(() => api.close());
const ada = await api.makeUser();
const bob = await api.makeUser();
const run = await createRun(api, ada, "fit", serial(["true"]));

const PROXY = {
  host: "reprise.example.org",
  "sec-fetch-site": "same-origin",
  "x-forwarded-proto": "https",
} as const;
let cookie = await logIn(ada);

async function logIn({ email, token }: { readonly email: string; readonly token: string }): Promise<string> {
  const payload = { email, password: token };
  const reply = await api.inject({ method: "POST", url: "/api/login", headers: PROXY, payload });
  expect([reply.statusCode, reply.json()]).toEqual([200, { message: "Signed in." }]);
  return String(reply.headers["set-cookie"]).split(";", 1)[0]!;
}

type Method = "GET" | "POST" | "PUT" | "DELETE";

async function ask(method: Method, url: string, data: object | null = null) {
  const headers = { ...PROXY, cookie };
  const reply = await api.inject({ method, url, headers, ...(data && { payload: data }) });
  const isJson = String(reply.headers["content-type"]).startsWith("application/json");
  return { status: reply.statusCode, body: isJson ? reply.json<Record<string, unknown>>() : {} };
}
const of = (rest: string) => `/api/workflows/${run.id}${rest}`;

test("the settings, before the sign-in", async () => {
  const reply = await api.inject("/api/config");
  expect(reply.json()).toEqual({
    announcement: "",
    public_url: null,
    hide_signup: true,
    local_users: true,
    sso: false,
    login_provider_config: [],
    quota_enabled: true,
    launcher_examples: [],
    polling_secs: 15,
    sign_in_providers: [],
  });
});

describe("the account", () => {
  test("has a text in place of the token, so that the page accepts the user", async () => {
    const { status, body } = await ask("GET", "/api/you");
    const value = "hidden-use-the-token-of-your-sign-in";
    expect([status, body]).toMatchObject([
      200,
      { email: ada.email, reana_token: { status: "active", value }, quota: { cpu: {}, disk: {} } },
    ]);
    expect(JSON.stringify(body)).not.toContain(ada.token);
  });

  test("has the token of the request, if a proxy adds it", async () => {
    const headers = { authorization: `Bearer ${ada.token}` };
    const reply = await api.inject({ url: "/api/you", headers });
    expect(reply.json()).toMatchObject({ reana_token: { status: "active", value: ada.token } });
  });

  test("of a browser's session has no token: a page must not learn one that it could not read before", async () => {
    const headers = { ...OWN_PAGE, ...(await newBrowserSession(api, ada.token)) };
    const reply = await api.inject({ url: "/api/you", headers });
    expect([reply.statusCode, reply.json()]).toMatchObject([200, { reana_token: { status: "active" } }]);
    expect(reply.body).not.toContain(ada.token);
    expect(reply.json<{ reana_token: object }>().reana_token).not.toHaveProperty("value");
  });

  test("a page without a session gets the words that the page looks for", async () => {
    const reply = await api.inject("/api/you");
    expect([reply.statusCode, reply.json<{ message: string }>().message]).toEqual([
      401,
      "User not signed in",
    ]);
  });
});

test.each<[Method, () => string, object]>([
  ["GET", () => "/api/info?", { compute_backends: {}, kubernetes_min_user_uid: { value: 100 } }],
  ["GET", () => "/api/status", { node: {}, job: {}, workflow: {}, session: {} }],
  [
    "GET",
    () => "/api/workflows?verbose=true&page=1&size=10&status=created,running&sort=desc&type=batch",
    { items: [{ progress: { total: { total: 0 } }, size: {} }], total: 1, user_has_workflows: true },
  ],
  ["GET", () => `/api/workflows?verbose=true&workflow_id_or_name=${run.id}`, { items: [{ id: run.id }] }],
  ["GET", () => "/api/workflows?verbose=true&shared=true&page=1&size=5", { total: 1 }],
  ["GET", () => "/api/workflows?verbose=true&shared_by=anybody", { total: 0, user_has_workflows: true }],
  ["GET", () => "/api/workflows?verbose=true&shared_with=nobody", { total: 1 }],
  ["GET", () => of("/specification"), { specification: { workflow: {} }, parameters: {} }],
  ["GET", () => of("/retention_rules"), { retention_rules: [] }],
  ["GET", () => of("/workspace?page=1&size=15"), { items: [], total: 0 }],
  ["GET", () => "/api/users/shared-with-you", { users_shared_with_you: [] }],
  ["GET", () => "/api/users/you-shared-with", { users_you_shared_with: [] }],
  ["GET", () => of("/share-status"), { shared_with: [] }],
])("%s %s", async (method, url, reply) => {
  const { status, body } = await ask(method, url());
  expect([status, body]).toMatchObject([200, reply]);
});

test("logs are a JSON text with the parts that the page shows", async () => {
  const { body } = await ask("GET", of("/logs"));
  expect(JSON.parse(body["logs"] as string)).toMatchObject({ job_logs: {}, service_logs: {} });
});

test("changes, in a user's order", async () => {
  const other = await createRun(api, ada, "other", serial(["true"]));
  const at = (rest: string) => `/api/workflows/${other.id}${rest}`;
  const steps: readonly [Method, string, object | null, number][] = [
    ["POST", at("/share"), { user_email_to_share_with: bob.email }, 200],
    ["POST", at("/unshare"), { user_email_to_unshare_with: bob.email }, 200],
    ["POST", at("/prune?include_inputs=false&include_outputs=true"), null, 200],
    ["PUT", at("/status?status=stop"), null, 409],
    ["POST", at("/close/"), null, 404],
    ["PUT", at("/status?status=deleted"), { workspace: true, all_runs: false }, 200],
  ];
  for (const [method, url, data, status] of steps)
    expect([url, (await ask(method, url, data)).status]).toEqual([url, status]);
  const launched = await ask("POST", "/api/launch", {
    url: "ftp://x",
    name: "n",
    specification: "reana.yaml",
  });
  expect([launched.status, launched.body["message"]]).toEqual([expect.any(Number), expect.any(String)]);
});

test("the link to a notebook, with that text, says where the notebook opens", async () => {
  const reply = await api.inject(`/${run.id}?token=hidden-use-the-token-of-your-sign-in`);
  expect([reply.statusCode, reply.json<{ message: string }>().message]).toEqual([
    404,
    expect.stringContaining("Open it on the page of this server."),
  ]);
});

test("all calls of the page, in one visit", async () => {
  const visit = await createRun(api, ada, "visit", serial(["true"]));
  const upload = `/api/workflows/${visit.id}/workspace?file_name=a.txt`;
  await api.inject({
    method: "POST",
    url: upload,
    headers: { authorization: `Bearer ${ada.token}` },
    payload: "content",
  });
  const at = (rest: string) => `/api/workflows/${visit.id}${rest}`;
  const calls: readonly [Method, string, object | null, number][] = [
    ["GET", "/api/config", null, 200],
    ["POST", "/api/register", { email: "eve@example.org", password: "x" }, 501],
    ["POST", "/api/confirm-email", { token: "x" }, 501],
    ["GET", "/api/oauth/login/github?next=https://reprise.example.org/", null, 501],
    ["POST", "/api/login", { email: ada.email, password: ada.token }, 200],
    ["GET", "/api/you", null, 200],
    ["PUT", "/api/token", null, 409],
    ["GET", "/api/info", null, 200],
    ["GET", "/api/status", null, 200],
    ["GET", "/api/workflows?verbose=true&page=1&size=10", null, 200],
    ["GET", "/api/users/shared-with-you", null, 200],
    ["GET", "/api/users/you-shared-with", null, 200],
    ["GET", at("/logs"), null, 200],
    ["GET", at("/specification"), null, 200],
    ["GET", at("/retention_rules"), null, 200],
    ["GET", at("/workspace?page=1&size=15"), null, 200],
    ["GET", at("/workspace/a.txt?preview=true"), null, 200],
    ["GET", at("/share-status"), null, 200],
    ["POST", at("/share"), { user_email_to_share_with: bob.email }, 200],
    ["POST", at("/unshare"), { user_email_to_unshare_with: bob.email }, 200],
    ["POST", at("/prune?include_inputs=false&include_outputs=true"), null, 200],
    ["POST", at("/open/jupyter"), null, 404],
    ["POST", at("/close/"), null, 404],
    ["PUT", at("/status?status=deleted"), { workspace: true, all_runs: false }, 200],
    ["POST", "/api/launch", { url: "ftp://x", name: "n", specification: "reana.yaml" }, 400],
    ["GET", "/api/gitlab/projects?page=1&size=10", null, 501],
    ["POST", "/api/gitlab/webhook", { project_id: 1 }, 501],
    ["GET", "/api/gitlab/connect", null, 404],
    ["POST", "/api/logout", null, 200],
  ];
  const got: unknown[] = [];
  for (const [method, url, data] of calls) {
    const { status, body } = await ask(method, url, data);
    got.push([method, url, data, status]);
    if (status >= 400) expect(body["message"]).toEqual(expect.any(String));
  }
  expect(got).toEqual(calls);
  expect((await ask("GET", "/api/you")).status).toBe(401);
  cookie = await logIn(ada);
});
