import { afterAll, describe, expect, test } from "vitest";
import type { AuditEntry } from "#plumbing/audit-log";
import { apiFixture } from "../../support/api-fixture.ts";
import { auditInMemory } from "../../support/fakes/audit-in-memory.ts";
import { changeStatus, createRun, serial, T } from "../../support/run-rows.ts";

const entries: AuditEntry[] = [];
const api = await apiFixture({ audit: auditInMemory(entries) });
afterAll(() => api.close());

/** Returns what the entries since the last call say, without time and request. */
function written() {
  return entries.splice(0).map(({ action, user, status, subject }) => ({ action, user, status, subject }));
}

describe("the audit log has an entry for", () => {
  test("each change of a run, with the user and the outcome", async () => {
    const ada = await api.makeUser("ada@example.org");
    const run = await createRun(api, ada, "fit", serial(["true"]));
    const url = `/api/workflows/${run.id}/workspace?file_name=a.txt&${T(ada)}`;
    await api.inject({ method: "POST", url, payload: "a" });
    await changeStatus(api, ada, run.id, "deleted");
    await changeStatus(api, ada, run.id, "start");
    const user = "ada@example.org";
    expect(written()).toEqual([
      { action: "create", user, status: 201, subject: { workflow_name: "fit", run: "fit.1" } },
      { action: "upload-file", user, status: 200, subject: { run: "fit.1", run_id: run.id, file: "a.txt" } },
      { action: "deleted", user, status: 200, subject: { run: "fit.1", wanted: "deleted" } },
      {
        action: "change-status",
        user,
        status: 409,
        subject: { run: "fit.1", run_id: run.id, wanted: "start" },
      },
    ]);
  });

  test("an attempt on the run of another user", async () => {
    const [owner, stranger] = [await api.makeUser(), await api.makeUser("eve@example.org")];
    const run = await createRun(api, owner, "own");
    written();
    await changeStatus(api, stranger, run.id, "deleted");
    expect(written()).toEqual([
      {
        action: "change-status",
        user: "eve@example.org",
        status: 403,
        subject: { run: "own.1", run_id: run.id, wanted: "deleted" },
      },
    ]);
  });

  test("what the administrator does to users, and each look at their tokens", async () => {
    const A = `access_token=${api.adminToken}`;
    const token = "given.token.of-the-administrator";
    await api.inject({ method: "POST", url: `/api/users?email=new@example.org&user_token=${token}&${A}` });
    await api.inject(`/api/users?${A}`);
    await api.inject({ method: "DELETE", url: `/api/token?${A}`, payload: { email: "new@example.org" } });
    const kept = JSON.stringify(entries);
    for (const secret of [token, api.adminToken]) expect(kept).not.toContain(secret);
    const user = "admin@localhost";
    expect(written()).toEqual([
      { action: "create-user", user, status: 201, subject: { email: "new@example.org" } },
      { action: "find-users", user, status: 200, subject: {} },
      { action: "revoke-token", user, status: 200, subject: { email: "new@example.org" } },
    ]);
  });

  test("a user by the address, even if the request has the id", async () => {
    const { id } = await api.makeUser("off@example.org");
    written();
    await api.inject({
      method: "POST",
      url: `/api/admin/users/${id}/disable?access_token=${api.adminToken}`,
    });
    expect(written()).toMatchObject([{ action: "disable-user", subject: { user: "off@example.org" } }]);
  });

  test("limits, with users and values", async () => {
    const A = `access_token=${api.adminToken}`;
    await api.makeUser("limited@example.org");
    written();
    const quota = { email: "limited@example.org", resource_type: "cpu", limit: 3_600_000 };
    await api.inject({ method: "POST", url: `/api/quota?${A}`, payload: quota });
    await api.inject({ method: "PUT", url: `/api/admin/policies/everybody?${A}`, payload: { max_runs: 3 } });
    const user = "admin@localhost";
    expect(written()).toEqual([
      {
        action: "set-quota",
        user,
        status: 200,
        subject: { email: "limited@example.org", quota: "cpu", limit: "3600000" },
      },
      { action: "set-policy", user, status: 200, subject: { group: "everybody", policy: '{"max_runs":3}' } },
    ]);
  });

  test("groups and secrets, with their names", async () => {
    const ada = await api.makeUser("owner@example.org");
    written();
    const send = (method: "POST" | "DELETE", path: string, payload: object) =>
      api.inject({ method, url: `/api/${path}?${T(ada)}`, payload });
    await send("POST", "groups", { name: "students" });
    await send("POST", "secrets", { GRID_PASSWORD: { type: "env", value: "Y29ycmVjdCBob3JzZQ==" } });
    await send("DELETE", "secrets", ["GRID_PASSWORD"]);
    const user = "owner@example.org";
    expect(written()).toEqual([
      { action: "create-group", user, status: 201, subject: { group: "students" } },
      { action: "add-secrets", user, status: 201, subject: { secrets: "GRID_PASSWORD" } },
      { action: "delete-secrets", user, status: 200, subject: { secrets: "GRID_PASSWORD" } },
    ]);
  });

  test("nothing else: a question, or a request without a user", async () => {
    const ada = await api.makeUser();
    const run = await createRun(api, ada, "asked", serial(["true"]));
    written();
    await api.inject(`/api/workflows?${T(ada)}`);
    await api.inject({ method: "POST", url: "/api/workflows", payload: serial(["true"]) });
    const questions = ["workflows/validate", `workflows/${run.id}/restart-plan`];
    for (const path of questions)
      await api.inject({ method: "POST", url: `/api/${path}?${T(ada)}`, payload: serial(["true"]) });
    expect(written()).toEqual([]);
  });
});

test("each entry says when, from where, and by which request", async () => {
  const ada = await api.makeUser();
  await createRun(api, ada, "when");
  expect(entries.splice(0)).toEqual([
    expect.objectContaining({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      ip: "127.0.0.1",
      requestId: expect.stringMatching(/^[\da-f]{8}-/),
    }),
  ]);
});
