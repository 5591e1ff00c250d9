import { afterAll, describe, expect, test } from "vitest";
import { createErasure } from "#operations/runs/delete-user";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { changeStatus, createRun, statusOf, untilStatus } from "../../support/run-rows.ts";

/** The end of users, by the API and by `reprise user delete`. */
const api = await apiFixture();
const server = await api.listen();
afterAll(() => api.close());
const admin = `access_token=${api.adminToken}`;
const T = (user: FixtureUser) => `access_token=${user.token}`;

const remove = (user: FixtureUser, query = "") =>
  api.inject({ method: "DELETE", url: `/api/admin/users/${user.email}?${admin}${query}` });
const add = (user: FixtureUser) =>
  api.inject({ method: "POST", url: `/api/users?email=${user.email}&${admin}` });
const erase = createErasure(api.operations);
const table = (name: "tokens" | "secrets" | "notifications" | "group_members" | "run_shares" | "runs") =>
  api.operations.db.selectFrom(name).selectAll();
const runRow = (id: string) => table("runs").where("id", "=", id).executeTakeFirstOrThrow();

async function reprise(answer: string | undefined, ...args: readonly string[]) {
  const questions: string[] = [];
  const ask = async (question: string) => {
    questions.push(question);
    return answer!;
  };
  const cli = fakeCli({
    environment: { REPRISE_SERVER: server, REPRISE_TOKEN: api.adminToken },
    ask: answer === undefined ? undefined : ask,
  });
  const code = await runCli(["user", ...args], cli);
  return { code, printed: cli.printed, errors: cli.errors, questions };
}

describe("a deleted user", async () => {
  const [ada, bob] = [await api.makeUser("ada@example.org"), await api.makeUser("bob@example.org")];
  const run = await createRun(api, ada, "fit");
  const shared = await createRun(api, bob, "plot");
  const post = (user: FixtureUser, path: string, payload: object) =>
    api.inject({ method: "POST", url: `/api/${path}?${T(user)}`, payload });
  await post(ada, "secrets", { KEY: { type: "env", value: "eA==" } });
  await post(ada, "notifications", { receiver: ada.email, statuses: ["failed"] });
  await post(ada, "groups", { name: "physics" });
  await post(bob, "groups", { name: "optics" });
  await api.inject({ method: "PUT", url: `/api/groups/optics/members/${ada.email}?${T(bob)}` });
  await post(ada, `workflows/${run.id}/share`, { user_email_to_share_with: bob.email });
  await post(bob, `workflows/${shared.id}/share`, { user_email_to_share_with: ada.email });
  const reply = await remove(ada);

  test("is named in the reply, with the number of kept runs", () => {
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      { message: "ada@example.org was deleted.", id_: ada.id, email: ada.email, runs: 1, stopped: 0 },
    ]);
  });

  test("has no token, membership, share and notification left, and its secrets reach no job", async () => {
    expect((await api.inject(`/api/you?${T(ada)}`)).statusCode).toBe(403);
    for (const name of ["tokens", "notifications", "group_members"] as const)
      expect(await table(name).where("user_id", "=", ada.id).execute()).toEqual([]);
    expect(await table("run_shares").execute()).toEqual([]);
    expect(await table("secrets").where("user_id", "=", ada.id).execute()).toEqual([
      expect.objectContaining({ removed_at: expect.any(Number) }),
    ]);
  });

  test("is in no list, and cannot be found, disabled or deleted again", async () => {
    expect((await api.inject(`/api/admin/users?${admin}`)).body).not.toContain(ada.email);
    expect((await api.inject(`/api/users?email=${ada.email}&${admin}`)).statusCode).toBe(404);
    expect((await remove(ada)).json()).toMatchObject({
      message: "User with e-mail ada@example.org does not exist.",
    });
  });

  test("leaves its groups to the administrator", async () => {
    const groups = (await api.inject(`/api/groups?${admin}`)).json();
    expect(groups.find(({ name }: { name: string }) => name === "physics")).toMatchObject({
      owner_email: "admin@localhost",
    });
  });

  test("gets runs and files back when the address is added again", async () => {
    const again = (await add(ada)).json();
    expect(again.id_).toBe(ada.id);
    const list = await api.inject(`/api/workflows?access_token=${again.access_token}`);
    expect(list.json()).toMatchObject([{ name: "fit.1" }]);
  });
});

describe("a user with live runs", async () => {
  const eve = await api.makeUser("eve@example.org");
  const run = await createRun(api, eve, "long");
  await changeStatus(api, eve, run.id, "start");
  await untilStatus(api, eve, run.id, "running");

  test("is not deleted, and keeps the runs going", async () => {
    const reply = await remove(eve);
    expect([reply.statusCode, reply.json()]).toEqual([
      409,
      {
        message:
          "User eve@example.org could not be deleted: 1 run of the user is queued or running. " +
          "Wait for the end, or have them stopped (`--stop`).",
        code: "user-has-live-runs",
      },
    ]);
    expect(await statusOf(api, eve, run.id)).toBe("running");
  });

  test("is deleted with the runs, which are stopped first", async () => {
    expect((await remove(eve, "&stop=true&with_data=true")).json()).toMatchObject({ runs: 1, stopped: 1 });
    await expect.poll(async () => (await runRow(run.id)).status).toBe("stopped");
    await erase();
    expect(await runRow(run.id)).toMatchObject({ status: "deleted" });
  });
});

describe("a user who is deleted with the data", async () => {
  const kay = await api.makeUser("kay@example.org");
  const runs = await Promise.all(["a", "b", "c"].map((name) => createRun(api, kay, name)));

  test("is deleted without the data first, and with it later", async () => {
    expect((await remove(kay)).statusCode).toBe(200);
    expect((await remove(kay, "&with_data=true")).json()).toMatchObject({ id_: kay.id, runs: 3 });
  });

  test("has no file, no address and no run left after a sweep or two", async () => {
    await erase();
    await erase();
    for (const { id } of runs) expect(await runRow(id)).toMatchObject({ status: "deleted" });
    const row = await api.operations.db
      .selectFrom("users")
      .selectAll()
      .where("id", "=", kay.id)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ email: `deleted user ${kay.id.slice(0, 8)}`, removes_runs: 0 });
    const left = await api.operations.db
      .selectFrom("workspaces")
      .selectAll()
      .where("owner_id", "=", kay.id)
      .where("removed_at", "is", null)
      .execute();
    expect(left).toEqual([]);
  });

  test("is another user when the address is added again", async () => {
    const again = (await add(kay)).json();
    expect(again.id_).not.toBe(kay.id);
    const usage = await api.inject(`/api/admin/usage?${admin}`);
    expect(usage.statusCode).toBe(200);
  });
});

describe("administrators", () => {
  const office = (method: "PUT" | "DELETE", user: string) =>
    api.inject({ method, url: `/api/admin/users/${user}/admin?${admin}` });

  test("the last one is neither deleted nor made an ordinary user", async () => {
    const failures = [await remove(api.admin), await office("DELETE", api.admin.id)];
    expect(failures.map((reply) => [reply.statusCode, reply.json().message])).toEqual([
      [409, "User admin@localhost could not be deleted: this server would have no administrator."],
      [
        409,
        "User admin@localhost could not be made an ordinary user: this server would have no administrator.",
      ],
    ]);
  });

  test("a second one administrates, until the office is taken away", async () => {
    const zoe = await api.makeUser("zoe@example.org");
    const mayList = async () => (await api.inject(`/api/admin/users?${T(zoe)}`)).statusCode;
    expect((await office("PUT", zoe.id)).json()).toMatchObject({ admin: true });
    expect(await mayList()).toBe(200);
    expect((await office("DELETE", zoe.id)).json()).toMatchObject({ admin: false });
    expect(await mayList()).toBe(403);
  });

  test("a disabled user is enabled before becoming an administrator", async () => {
    const off = await api.makeDisabledUser();
    expect((await office("PUT", off.id)).json()).toMatchObject({
      message: expect.stringContaining("the user is disabled. Enable it first."),
    });
  });

  test("the last one who may sign in stays, even beside a disabled one", async () => {
    const deputy = await api.makeUser("deputy@example.org");
    await office("PUT", deputy.id);
    const disable = (id: string) =>
      api.inject({ method: "POST", url: `/api/admin/users/${id}/disable?${admin}` });
    expect((await disable(deputy.id)).statusCode).toBe(200);
    expect((await disable(api.admin.id)).statusCode).toBe(409);
  });
});

describe("reprise user", () => {
  test("asks before a deletion, unless --yes is given or there is no terminal", async () => {
    const email = "asked@example.org";
    await api.makeUser(email);
    expect(await reprise("n", "delete", email, "--with-data")).toEqual({
      code: 1,
      printed: [],
      errors: ["Nothing was deleted."],
      questions: [`Delete ${email} with all runs and files, for good? [y/N] `],
    });
    expect(await reprise("n", "delete", email, "--yes")).toMatchObject({
      code: 0,
      printed: [
        `Deleted ${email}: tokens, sessions, shares, memberships, secrets and notifications have ended.`,
      ],
      questions: [],
    });
  });

  test("asks before a user is locked out, too", async () => {
    const { email, token } = await api.makeUser("locked@example.org");
    const isAccepted = async () => (await api.inject(`/api/you?access_token=${token}`)).statusCode === 200;
    expect(await reprise("n", "disable", email)).toEqual({
      code: 1,
      printed: [],
      errors: [`${email} was not disabled.`],
      questions: [`Lock ${email} out? [y/N] `],
    });
    expect(await isAccepted()).toBe(true);
    expect(await reprise("n", "disable", email, "--yes")).toMatchObject({ code: 0, questions: [] });
    expect(await isAccepted()).toBe(false);
    await reprise(undefined, "enable", email);
    expect(await reprise("y", "disable", email)).toMatchObject({ code: 0, questions: [expect.any(String)] });
    expect(await isAccepted()).toBe(false);
    await reprise(undefined, "enable", email);
    expect(await reprise(undefined, "disable", email)).toMatchObject({ code: 0, questions: [] });
  });

  test("says what becomes of the runs", async () => {
    const lea = await api.makeUser("lea@example.org");
    await createRun(api, lea, "fit");
    expect((await reprise(undefined, "delete", lea.email)).printed[1]).toBe(
      "1 run is kept, with the files. `reprise user add lea@example.org` gives them back; " +
        "`reprise user delete --with-data lea@example.org` deletes them.",
    );
    expect((await reprise(undefined, "delete", lea.email, "--with-data")).printed[1]).toBe(
      "The server deletes 1 run with the files, 20 every ten seconds.",
    );
  });

  test("grants and revokes the office", async () => {
    const { email } = await api.makeUser("max@example.org");
    expect((await reprise(undefined, "admin", email)).printed).toEqual([`${email} is an administrator.`]);
    expect((await reprise(undefined, "admin", email, "--revoke")).printed).toEqual([
      `${email} is an ordinary user.`,
    ]);
  });
});
