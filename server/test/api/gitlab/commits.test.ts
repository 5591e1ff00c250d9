import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { openGitlab } from "#sources/gitlab";
import { openGitSource } from "#sources/git-source";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { openFakeGitlab } from "../../support/fakes/fake-gitlab.ts";
import { movableClock } from "../../support/fakes/movable-clock.ts";
import { changeStatus, serial, T, untilStatus } from "../../support/run-rows.ts";

/**
 * Runs of commits reported by GitLab, and the statuses sent back to GitLab. The events follow GitLab's
 * documentation. GitLab is a stub.
 */
const gitlab = await openFakeGitlab();
const temporary = await mkdtemp(path.join(os.tmpdir(), "reprise-gitlab-"));
const allowed = [new URL(gitlab.url).host];
const rules = { httpHosts: allowed, privateHosts: allowed };
const clock = movableClock();
const git = openGitSource({ ...rules, maxBytes: 1e6, maxFiles: 50, timeoutMs: 8000, tempFolder: temporary });
const api = await apiFixture({
  parts: { clock, git, gitlab: openGitlab({ ...rules, address: gitlab.url }) },
});
const { outbox } = api.operations;
afterAll(async () => {
  await api.close();
  await gitlab.close();
  await rm(temporary, { recursive: true });
});
afterEach(() => {
  gitlab.instead = () => false;
});

const SPECIFICATION =
  "inputs: {files: [fit.py]}\nworkflow: {type: serial, specification: {steps: [{environment: any, commands: ['true']}]}}\n";
const project = await gitlab.addProject("physics/z-fit", {
  "reana.yaml": SPECIFICATION,
  "fit.py": "print(1)\n",
});
const ada = await connectedUser();

async function connectedUser(): Promise<FixtureUser> {
  const user = await api.makeUser();
  await storeToken(user, gitlab.token);
  return user;
}

async function storeToken(user: FixtureUser, token: string): Promise<void> {
  const payload = { gitlab_access_token: { type: "env", value: Buffer.from(token).toString("base64") } };
  await api.inject({ method: "POST", url: `/api/secrets?overwrite=true&${T(user)}`, payload });
}

type Event = Record<string, unknown>;
const fixture = (name: string) =>
  JSON.parse(
    readFileSync(new URL(`../../../../fixtures/gitlab/${name}.json`, import.meta.url), "utf8"),
  ) as Event;

function push(sha: string): Event {
  return { ...fixture("push"), checkout_sha: sha, after: sha };
}

function mergeRequest(sha: string, attributes: object = {}): Event {
  const event = fixture("merge-request");
  const merge = event["object_attributes"] as Event;
  const commit = { ...(merge["last_commit"] as Event), id: sha };
  return { ...event, object_attributes: { ...merge, last_commit: commit, ...attributes } };
}

/** Sends an event as GitLab does. */
const hook = (payload: object, token: string = ada.token, headers: Record<string, string> = {}) =>
  api.inject({
    method: "POST",
    url: "/api/workflows",
    headers: { "x-gitlab-token": token, "x-gitlab-event": "Push Hook", ...headers },
    payload,
  });

/** Commits with different contents. They are made here, before the clocks of the tests start. */
const fits: string[] = [];
for (const content of ["one", "two", "three"]) fits.push(await project.commit({ "fit.py": `${content}\n` }));
const [ONE, TWO, THREE] = fits as [string, string, string];
const MALFORMED = await project.commit({ "reana.yaml": "workflow: {type: serial}\n" });
const LATER = await project.commit({ "reana.yaml": SPECIFICATION, "fit.py": "later\n" });

const send = async () => {
  await outbox.look();
  await outbox.settled();
};

const statesOf = (sha: string) => gitlab.statuses.filter((one) => one.sha === sha).map(({ state }) => state);

async function runs(user: FixtureUser = ada): Promise<string[]> {
  const reply = await api.inject(`/api/workflows?${T(user)}`);
  return reply.json<{ name: string }[]>().map(({ name }) => name);
}

const notifications = async () => (await api.inject(`/api/notifications?${T(ada)}`)).json<Event[]>();

interface Named {
  readonly workflow_id: string;
  readonly workflow_name: string;
}

describe("a commit reported by GitLab", () => {
  test.each([
    ["push", push, ONE, "one\n"],
    ["merge request", mergeRequest, TWO, "two\n"],
  ])("by a %s becomes a run of its files, and has its status", async (_kind, event, sha, content) => {
    const index = api.backend.started.length;
    const reply = await hook(event(sha));
    expect([reply.statusCode, reply.json()]).toMatchObject([
      201,
      { message: "The workflow has been successfully submitted." },
    ]);
    const { workflow_id: id, workflow_name: name } = reply.json<Named>();
    expect(name).toMatch(/^z-fit\.\d+$/);
    const file = await api.inject(`/api/workflows/${id}/workspace/fit.py?${T(ada)}`);
    expect(file.body).toBe(content);
    await send();
    const job = await api.backend.startedJob(index);
    await untilStatus(api, ada, id, "running");
    await send();
    api.backend.end(job, { exitCode: 0 });
    await untilStatus(api, ada, id, "finished");
    await send();
    expect(statesOf(sha)).toEqual(["pending", "running", "success"]);
    expect(gitlab.statuses.at(-1)).toMatchObject({ name: "reana", description: `${name} is finished` });
    expect(await notifications()).toEqual([]);
  });
});

describe("a status that GitLab does not take", () => {
  test("is sent again until it does, and a repeated one counts as taken", async () => {
    const sha = THREE;
    const { workflow_id: id } = (await hook(push(sha))).json<Named>();
    gitlab.instead = (_, response) => {
      response.writeHead(500).end();
      return true;
    };
    await send();
    expect(await notifications()).toMatchObject([
      {
        to: `gitlab:15@${sha}`,
        run: expect.any(String),
        problem: "GitLab returned the status 500 for a commit of project 15.",
      },
    ]);
    gitlab.instead = (request, response) => {
      if (!request.url!.includes("/statuses/")) return false;
      const message =
        "Cannot transition status via :enqueue from :pending (Reason(s): Status cannot transition)";
      response.writeHead(400).end(JSON.stringify({ message }));
      return true;
    };
    await changeStatus(api, ada, id, "stop");
    await untilStatus(api, ada, id, "stopped");
    clock.pass(3_600_000);
    await send();
    expect(await notifications()).toEqual([]);
  });

  test("of a user who has removed the token waits, and says so", async () => {
    const eve = await connectedUser();
    const { workflow_id: id } = (await hook(push(LATER), eve.token)).json<Named>();
    await api.inject({ method: "DELETE", url: `/api/secrets?${T(eve)}`, payload: ["gitlab_access_token"] });
    await send();
    const listed = (await api.inject(`/api/notifications?${T(eve)}`)).json<Event[]>();
    expect(listed[0]!["problem"]).toMatch(/^GitLab token invalid or missing/);
    await changeStatus(api, eve, id, "stop");
    await untilStatus(api, eve, id, "stopped");
    await changeStatus(api, eve, id, "deleted");
    expect((await api.inject(`/api/notifications?${T(eve)}`)).json()).toEqual([]);
  });
});

describe("no run is created", () => {
  test.each([
    ["for a deleted branch", () => ({ ...push("0".repeat(40)), checkout_sha: null })],
    ["for a merge request that was merged", () => mergeRequest("1".repeat(40), { action: "merge" })],
    ["for a merge request whose title changed", () => mergeRequest("1".repeat(40), { action: "update" })],
    [
      "for a merge request of a fork, which anybody may open",
      () => mergeRequest("1".repeat(40), { source_project_id: 16 }),
    ],
  ])("%s", async (_what, event) => {
    const before = await runs();
    const key = { "idempotency-key": `ignored ${_what}`.replaceAll(" ", "-") };
    for (let sent = 0; sent < 2; sent += 1) {
      const reply = await hook(event(), ada.token, key);
      expect([reply.statusCode, reply.json()]).toEqual([
        200,
        { message: expect.stringMatching(/^Gitlab webhook was processed\. The (push|merge request) /) },
      ]);
    }
    expect(await runs()).toEqual(before);
  });

  test.each([
    ["of another kind", { object_kind: "tag_push" }, "object_kind is not push or merge_request"],
    ["without a project", { ...push("1".repeat(40)), project: null }, "project is not an object"],
    [
      "whose path leads elsewhere",
      { ...push("1".repeat(40)), project: { id: 15, path_with_namespace: "physics/../../x" } },
      "project.path_with_namespace is not a path",
    ],
    [
      "whose path is another address",
      { ...push("1".repeat(40)), project: { id: 15, path_with_namespace: "a@evil.example.org/x#y" } },
      "project.path_with_namespace is not as GitLab sends it",
    ],
    ["with a short commit", push("abc"), "checkout_sha is not as GitLab sends it"],
  ])("for an event %s", async (_what, event, problem) => {
    const reply = await hook(event);
    expect([reply.statusCode, reply.json<{ message: string }>().message]).toEqual([
      400,
      expect.stringContaining(problem),
    ]);
  });

  test("from an invalid specification, and the commit is marked as failed", async () => {
    const reply = await hook(push(MALFORMED));
    expect(reply.statusCode).toBe(400);
    expect(gitlab.statuses.at(-1)).toMatchObject({
      sha: MALFORMED,
      state: "failed",
      description: reply.json<{ message: string }>().message.slice(0, 255),
    });
  });

  test("for a user whose quota is used up: the commit is marked as failed, and the webhook stays on", async () => {
    const poor = await connectedUser();
    const spent = await api.inject({
      method: "POST",
      url: `/api/quota?access_token=${api.adminToken}`,
      payload: { user_id: poor.id, resource_type: "disk", limit: 1 },
    });
    expect(spent.statusCode).toBe(200);
    const T_ = T(poor);
    const kept = await api.inject({ method: "POST", url: `/api/workflows?${T_}`, payload: serial(["true"]) });
    const { workflow_id: id } = kept.json<Named>();
    await api.inject({
      method: "POST",
      url: `/api/workflows/${id}/workspace?file_name=a&${T_}`,
      payload: "a",
    });
    const sha = "2".repeat(40);
    const reply = await hook(push(sha), poor.token);
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      { message: expect.stringMatching(/^Gitlab webhook was processed\. .*quota/i) },
    ]);
    expect(statesOf(sha)).toEqual(["failed"]);
  });

  test.each([
    ["nobody", {}, 401],
    ["an unknown token", { "x-gitlab-token": "reprise.00000000.nobodys" }, 404],
  ])("for %s", async (_who, headers, status) => {
    const reply = await api.inject({
      method: "POST",
      url: "/api/workflows",
      headers,
      payload: push("1".repeat(40)),
    });
    expect(reply.statusCode).toBe(status);
  });

  test("for a user without a token for GitLab, or with one that GitLab refuses", async () => {
    const eve = await api.makeUser();
    const without = await hook(push(LATER), eve.token);
    expect([without.statusCode, without.json<Event>()["message"]]).toEqual([
      401,
      expect.stringMatching(/^GitLab token invalid or missing/),
    ]);
    await storeToken(eve, "glpat-of-nobody");
    const refused = await hook(push(LATER), eve.token);
    expect([refused.statusCode, refused.json<Event>()["message"]]).toEqual([
      400,
      expect.stringMatching(/Its host does not accept the access token/),
    ]);
  });
});

test("a repeated event, as GitLab sends it after a timeout, is the same run", async () => {
  const event = push(LATER);
  const key = { "idempotency-key": "11111111-2222-3333-4444-555555555555" };
  const [first, second] = [await hook(event, ada.token, key), await hook(event, ada.token, key)];
  expect(second.json()).toEqual(first.json());
  expect([second.statusCode, second.headers["idempotency-replayed"]]).toEqual([201, "true"]);
  const { workflow_id: id } = first.json<Named>();
  await changeStatus(api, ada, id, "stop");
});

test("the token of GitLab opens no other endpoint by its header, and is in no log", async () => {
  const reply = await api.inject({ url: "/api/you", headers: { "x-gitlab-token": ada.token } });
  expect(reply.statusCode).toBe(401);
  const logged = api.logged.join("");
  for (const secret of [ada.token, gitlab.token, Buffer.from(`oauth2:${gitlab.token}`).toString("base64")])
    expect(logged).not.toContain(secret);
});

describe("webhooks of projects", () => {
  const call = (method: "POST" | "DELETE", payload: object, user = ada) =>
    api.inject({ method, url: `/api/gitlab/webhook?${T(user)}`, headers: { host: "localhost:80" }, payload });
  const listed = () =>
    api.inject({ url: `/api/gitlab/projects?${T(ada)}`, headers: { host: "localhost:80" } });
  const list = async () => (await listed()).json<Event>();
  const tokens = async () =>
    (await api.inject(`/api/tokens?${T(ada)}`)).json<{ name: string | null; scope: string }[]>();

  test("are added with a token for runs alone, listed, used and removed", async () => {
    expect(await list()).toMatchObject({
      items: [{ id: 15, path: "physics/z-fit", hook_id: null }],
      page: 1,
      total: 1,
      has_next: false,
    });
    const added = await call("POST", { project_id: "15" });
    expect([added.statusCode, added.json()]).toEqual([201, { id: 1 }]);
    expect(gitlab.hooks.get(1)).toMatchObject({
      url: "http://localhost:80/api/workflows",
      push_events_branch_filter: "main",
      merge_requests_events: true,
    });
    expect((await list())["items"]).toMatchObject([{ hook_id: 1 }]);
    expect(await tokens()).toContainEqual(
      expect.objectContaining({ name: "gitlab-project-15", scope: "runs" }),
    );
    const token = String(gitlab.hooks.get(1)!["token"]);
    const started = await hook(push(LATER), token);
    expect(started.statusCode).toBe(201);
    await changeStatus(api, ada, started.json<Named>().workflow_id, "stop");
    const removed = await call("DELETE", { project_id: "15", hook_id: 1 });
    expect([removed.statusCode, removed.body]).toEqual([204, ""]);
    expect((await tokens()).map(({ name }) => name)).not.toContain("gitlab-project-15");
    expect((await hook(push(LATER), token)).statusCode).toBe(403);
  });

  test("that GitLab refuses leave no token", async () => {
    expect((await call("POST", { project_id: "16" })).statusCode).toBe(404);
    gitlab.instead = (request, response) => {
      if (request.method !== "POST") return false;
      response.writeHead(422).end("{}");
      return true;
    };
    expect((await call("POST", { project_id: "15" })).statusCode).toBe(503);
    expect((await tokens()).map(({ name }) => name)).not.toContain("gitlab-project-15");
    expect((await call("DELETE", { project_id: "15", hook_id: 7 })).statusCode).toBe(404);
  });

  test("are not listed for a token that GitLab does not let see them", async () => {
    gitlab.instead = (_request, response) => {
      response.writeHead(403).end("{}");
      return true;
    };
    const refused = await listed();
    expect([refused.statusCode, refused.json()]).toMatchObject([
      404,
      { message: "GitLab returned the status 403. Check the project, and the scope `api` of your token." },
    ]);
  });

  test("of a GitLab that hangs are given up after ten seconds", async () => {
    let asked = () => {};
    const hangs = new Promise<void>((resolve) => (asked = resolve));
    gitlab.instead = () => {
      asked();
      return true;
    };
    const reply = call("POST", { project_id: "15" });
    await hangs;
    clock.pass(10_000);
    expect((await reply).statusCode).toBe(503);
  });
});

test.each([
  ["over plain http", { httpHosts: [], privateHosts: allowed }, "plain http is not allowed"],
  ["at a private address", { httpHosts: allowed, privateHosts: [] }, "is a private or local address"],
])("a GitLab %s is reached only if the settings for Git addresses allow it", async (_how, hosts, problem) => {
  const strict = openGitlab({ ...hosts, address: gitlab.url });
  const { signal } = new AbortController();
  await expect(strict.send({ method: "GET", path: "/user", token: "t", signal })).rejects.toThrow(problem);
});
