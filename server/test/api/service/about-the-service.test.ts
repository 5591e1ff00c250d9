import { afterAll, describe, expect, test } from "vitest";
import { humanSize } from "#plumbing/text/human-size";
import { jobsOfRun } from "#store/jobs/jobs";
import { apiFixture } from "../../support/api-fixture.ts";
import { fakeBackend } from "../../support/fakes/fake-backend.ts";
import { reanaCheck } from "../../support/reana-schemas.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { changeStatus, createRun, refusalRows, T, untilStatus } from "../../support/run-rows.ts";
import { duOf, workspaceClient } from "../../support/workspace-client.ts";

/** Requests of REANA's clients that are not about runs: the account, the state of the service, and usage. */
const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser("ada@example.org");
const bob = await api.makeUser("bob@example.org");
const conforms = reanaCheck();
const admin = `access_token=${api.adminToken}`;

const run = await createRun(api, ada, "fit");
await api.inject({
  method: "POST",
  url: `/api/workflows/fit/workspace?file_name=a.bin&${T(ada)}`,
  payload: "x".repeat(1536),
});
await changeStatus(api, ada, run.id, "start");
await untilStatus(api, ada, run.id, "running");
await createRun(api, ada, "other");
/** A folder and a file. */
const usedBytes = duOf(await workspaceClient(api, ada).folderOf(run));

describe("GET you and quota", async () => {
  const noPeriod = { quota_period_months: null, quota_period_start_at: null };
  const [used, nothing] = [
    {
      cpu: { usage: { raw: 3_600_500, human_readable: "1h" }, ...noPeriod },
      disk: { usage: { raw: usedBytes, human_readable: humanSize(usedBytes) } },
    },
    {
      cpu: { usage: { raw: 0, human_readable: "0s" }, ...noPeriod },
      disk: { usage: { raw: 0, human_readable: "0 Bytes" } },
    },
  ];

  test("use without limits", async () => {
    const quota = async (user = ada) => (await api.inject(`/api/you?${T(user)}`)).json().quota;
    expect(await quota(bob)).toEqual(nothing);
    api.backend.end((await jobsOfRun(api.operations.db, run.id))[0]!.id, {
      usage: { cpuMs: 3_600_500 },
    });
    await untilStatus(api, ada, run.id, "finished");
    expect(await quota()).toEqual(used);
    conforms("GET", "/api/you", await api.inject(`/api/you?${T(ada)}`));
  });

  const url = (query: string) => `/api/quota?${query}&${admin}`;
  const answer = (usage: number) => ({
    message: "Resource limit is not set.",
    limit: -1,
    usage,
    ...noPeriod,
  });
  await runScenarios(api, [
    { name: "not the administrator", url: `/api/quota?${T(ada)}`, status: 403 },
    { name: "no resource", url: url(""), status: 400, reply: "Resource type is required." },
    { name: "another resource", url: url("resource_type=gpu"), status: 400 },
    { name: "of nobody", url: url("resource_type=cpu"), status: 400, reply: "No user specified" },
    {
      name: "of two",
      url: url(`resource_type=cpu&user_id=${ada.id}&email=x`),
      status: 400,
      reply: "Give exactly one of user_id, email and user_access_token.",
    },
    {
      name: "of a stranger",
      url: url("resource_type=cpu&email=no@example.org"),
      status: 404,
      reply: "User not found.",
    },
    {
      name: "by e-mail",
      url: url("resource_type=cpu&email=ada@example.org"),
      status: 200,
      reply: answer(3_600_500),
    },
    {
      name: "by id",
      url: url(`resource_type=disk&user_id=${ada.id}`),
      status: 200,
      reply: answer(usedBytes),
    },
    {
      name: "by id in capitals",
      url: url(`resource_type=disk&user_id=${ada.id.toUpperCase()}`),
      status: 200,
      reply: answer(usedBytes),
    },
    {
      name: "by something that is no id",
      url: url("resource_type=disk&user_id=ada"),
      status: 400,
      reply: 'The user_id "ada" is not valid: it must be a UUID.',
    },
    {
      name: "by token",
      url: url(`resource_type=disk&user_access_token=${bob.token}`),
      status: 200,
      reply: answer(0),
    },
  ]);
});

describe("GET config and status", async () => {
  const free = { percentage: 100, health: "healthy" };
  await runScenarios(api, [
    {
      name: "the page's set-up needs no credentials",
      url: "/api/config",
      status: 200,
      reply: expect.objectContaining({ hide_signup: true, local_users: false, sso: false, polling_secs: 15 }),
    },
    { name: "the status does", url: "/api/status", status: 401, reply: "User not signed in" },
    {
      name: "all is free",
      url: `/api/status?${T(bob)}`,
      status: 200,
      reply: {
        node: { available: 1, total: 1, unschedulable: 0, ...free, sort: 0 },
        job: { running: 0, pending: 0, available: 100, total: 100, ...free, sort: 1 },
        workflow: { running: 0, pending: 0, queued: 0, available: 4, total: 4, ...free, sort: 2 },
        session: { active: 0, sort: 3 },
      },
    },
  ]);

  test("the runs of all users are counted: three of four are running", async () => {
    for (const user of [ada, ada, bob]) {
      const { id } = await createRun(api, user, "counted");
      await changeStatus(api, user, id, "start");
      await untilStatus(api, user, id, "running");
    }
    const status = (await api.inject(`/api/status?${T(bob)}`)).json();
    const four = { running: 3, available: 1, total: 4, percentage: 25, health: "critical" };
    expect(status.workflow).toMatchObject(four);
    expect(status.job).toMatchObject({ running: 3, available: 97, total: 100, percentage: 97 });
  });
});

describe("PUT and DELETE token", async () => {
  const url = `/api/token?${admin}`;
  const eve = await api.makeUser("eve@example.org");
  await runScenarios(
    api,
    [
      {
        name: "a caller who may ask has one",
        method: "PUT" as const,
        url: `/api/token?${T(ada)}`,
        status: 409,
        reply: expect.objectContaining({
          message: expect.stringContaining("User ada@example.org has already requested an access token"),
        }),
      },
      { name: "not the administrator", url: `/api/token?${T(ada)}`, status: 403 },
      {
        name: "nobody named",
        url,
        status: 400,
        reply: "Exactly one of `user_id` or `email` must be provided.",
      },
      { name: "an unknown user", url, body: { email: "no@x.org" }, status: 404 },
      {
        name: "something that is no id",
        url,
        body: { user_id: "eve" },
        status: 400,
        reply: 'The user_id "eve" is not valid: it must be a UUID.',
      },
      { name: "the administrator's stay", url, body: { user_id: api.admin.id }, status: 409 },
      {
        name: "taken out of use",
        url,
        body: { email: eve.email },
        status: 200,
        reply: {
          message: "Access token revoked.",
          status: 200,
          id_: eve.id,
          email: eve.email,
          reana_token: { status: "revoked" },
        },
      },
      { name: "which shows", method: "GET" as const, url: `/api/you?${T(eve)}`, status: 403 },
      {
        name: "once",
        url,
        body: { user_id: eve.id.toUpperCase() },
        status: 404,
        reply: "No active token to revoke for the given user.",
      },
    ].map((row) => ({ method: "DELETE" as const, ...row })),
  );
});

describe("interactive sessions", async () => {
  const at = (what: string) => (address: string) => `/api/workflows/${address}/${what}`;
  const of = (what: string) => `${at(what)(run.id)}?${T(ada)}`;
  await runScenarios(api, [
    ...(await refusalRows(api, "POST", run, at("open/jupyter"))),
    ...(await refusalRows(api, "POST", run, at("close/"))),
    {
      name: "are not opened, of any type",
      method: "POST",
      url: of("open/jupyter"),
      body: {},
      status: 404,
      reply:
        "Interactive session type jupyter not found, try with one of: []. This server found no jupyter-lab. Run " +
        "`reprise setup jupyter` on its machine and start the server again, or start it with --jupyter and the path of another.",
    },
    {
      name: "are not closed",
      method: "POST",
      url: of("close/"),
      status: 404,
      reply: `Workflow - fit.1 has no open interactive session.`,
    },
    {
      name: "have no secret",
      url: of("interactive-session-secret"),
      status: 404,
      reply: "Workflow - fit.1 has no open interactive session.",
    },
  ]);
});

describe("GET info", () => {
  const vettedBy = async (allowedImages?: readonly string[]) => {
    const backend = fakeBackend();
    const capabilities = { ...backend.capabilities, allowedImages };
    const server = await apiFixture({ parts: { backends: [{ ...backend, capabilities }] } });
    try {
      const reply = await server.inject(`/api/info?access_token=${server.adminToken}`);
      conforms("GET", "/api/info", reply);
      const info = reply.json();
      return [info.vetted_container_images_enabled.value, info.vetted_container_images_allowlist.value];
    } finally {
      await server.close();
    }
  };

  test("names the images that the server allows", async () => {
    expect(await vettedBy()).toEqual([false, []]);
    expect(await vettedBy([])).toEqual([true, []]);
    expect(await vettedBy(["rootproject/root:6", "python"])).toEqual([
      true,
      ["rootproject/root:6", "python"],
    ]);
  });

  test("leaves the check to the server if an image is allowed by a pattern, which REANA's client cannot read", async () => {
    const patterns = ["docker.io/reanahub/*", "python"];
    expect(await vettedBy(patterns)).toEqual([false, patterns]);
  });
});
