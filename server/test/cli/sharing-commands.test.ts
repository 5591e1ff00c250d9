import { afterAll, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { apiFixture, type FixtureUser } from "../support/api-fixture.ts";
import { createRun } from "../support/run-rows.ts";

/** `reprise share`, `unshare`, `group` and `token`, and the lists of what is shared. */
const api = await apiFixture();
const server = await api.listen();
afterAll(() => api.close());
const [ada, bob] = [await api.makeUser("ada@example.org"), await api.makeUser("bob@example.org")];
await createRun(api, ada, "fit");

async function reprise(user: Pick<FixtureUser, "token">, ...args: readonly string[]) {
  const cli = fakeCli({ environment: { REPRISE_SERVER: server, REPRISE_TOKEN: user.token } });
  const code = await runCli(args, cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

const printed = async (user: FixtureUser, ...args: readonly string[]) =>
  (await reprise(user, ...args)).printed;

test("a run is shared with a user and a group, listed on both sides, and no longer shared", async () => {
  expect(await printed(ada, "group", "create", "physics", bob.email)).toEqual([
    "The group physics was made. Share with it as group:physics.",
    "bob@example.org is a member of the group physics.",
  ]);
  expect(await printed(ada, "group", "add", "physics", bob.email, "--role", "viewer")).toEqual([
    "bob@example.org is a viewer of the group physics.",
  ]);
  expect((await printed(ada, "group", "show", "physics")).map((line) => line.split(/ +/))).toEqual([
    ["E-MAIL", "ROLE"],
    [ada.email, "maintainer"],
    [bob.email, "viewer"],
  ]);
  expect(await reprise(ada, "group", "add", "physics", bob.email, "--role", "boss")).toMatchObject({
    code: 2,
    errors: ["--role boss: viewer, member, maintainer are the roles."],
  });
  expect(await printed(ada, "share", "-w", "fit")).toEqual(["fit.1 is shared with nobody."]);
  expect(
    await printed(ada, "share", "-w", "fit", bob.email, "group:physics", "--until", "2999-12-31"),
  ).toEqual([
    "Shared fit.1 with bob@example.org, to read until 2999-12-31.",
    "Shared fit.1 with group:physics, to read until 2999-12-31.",
  ]);
  expect(await printed(ada, "share", "-w", "fit")).toEqual([
    expect.stringMatching(/^WITH +UNTIL \(UTC\)$/),
    expect.stringMatching(/^\S+ +2999-12-31$/),
    expect.stringMatching(/^\S+ +2999-12-31$/),
  ]);
  expect(await printed(bob, "list")).toHaveLength(1);
  const [head, row] = await printed(bob, "list", "--shared-by", "anybody");
  expect(head).toMatch(/OWNER +SHARED WITH$/);
  expect(row).toMatch(/^fit\.1 .* ada@example\.org +-$/);
  expect((await printed(bob, "list", "--shared"))[1]).toBe(row);
  expect((await printed(ada, "list", "--shared-with", "group:physics"))[1]).toMatch(/physics/);
  expect((await reprise(bob, "delete", "fit")).errors).toEqual([
    "Workflow fit.1 is shared with you to read: only its owner can change it.",
  ]);
  expect(await printed(ada, "unshare", "-w", "fit", bob.email, "group:physics")).toEqual([
    "fit.1 is no longer shared with bob@example.org.",
    "fit.1 is no longer shared with group:physics.",
  ]);
  expect(await reprise(ada, "share", "-w", "fit", "--until", "2999-12-31")).toMatchObject({
    code: 2,
    errors: ["Name the users or groups to share with."],
  });
});

test("the administrator invites a colleague, and sees what runs for whom", async () => {
  const admin = { token: api.adminToken };
  const invited = await reprise(admin, "user", "invite", "new@example.org");
  expect(invited).toMatchObject({
    code: 0,
    printed: [expect.stringMatching(/^http:\S+\/sign-in#[\w-]{43}$/)],
    errors: [expect.stringMatching(/^Send this address to new@example\.org\. It signs in once, until \S+:$/)],
  });
  const { printed: lines } = await reprise(
    admin,
    "admin",
    "runs",
    "--user",
    ada.email,
    "--status",
    "created",
  );
  expect(lines[1]).toMatch(/^fit\.1 +ada@example\.org +created +0\/0 +\S+ \S+ +-$/);
  expect((await reprise(ada, "admin", "runs")).errors).toEqual(["Action not permitted."]);
});

test("a group is shown, loses a member, and is deleted", async () => {
  await reprise(ada, "group", "create", "short");
  await reprise(ada, "group", "add", "short", bob.email);
  expect(await printed(bob, "group", "list")).toEqual([
    expect.stringMatching(/^NAME +MEMBERS +OWNER$/),
    expect.stringMatching(/^physics +2 +ada@example\.org$/),
    expect.stringMatching(/^short +2 +ada@example\.org$/),
  ]);
  expect(await printed(bob, "group", "show", "short")).toEqual([
    expect.stringMatching(/^E-MAIL +ROLE$/),
    expect.stringMatching(/^ada@example\.org +maintainer$/),
    expect.stringMatching(/^bob@example\.org +member$/),
  ]);
  expect(await printed(bob, "group", "remove", "short", bob.email)).toEqual([
    "bob@example.org is no longer a member of the group short.",
  ]);
  expect(await printed(ada, "group", "delete", "short")).toEqual(["The group short was deleted."]);
});

test("a token is created with limits, listed, and revoked by its name", async () => {
  const created = await reprise(ada, "token", "create", "notebook", "--scope", "read", "--days", "30");
  expect(created).toMatchObject({
    code: 0,
    printed: [expect.stringMatching(/^reprise\./)],
    errors: [
      expect.stringMatching(
        /^The token notebook allows reading\. It expires on \d{4}-\d\d-\d\d, and is shown only now:$/,
      ),
    ],
  });
  const token = created.printed[0]!;
  expect((await reprise({ token }, "list")).code).toBe(0);
  expect((await reprise({ token }, "token", "create", "more")).errors).toEqual([
    "This token only reads. Use a token with the scope `everything`.",
  ]);
  const list = await printed(ada, "token", "list");
  expect(list.find((line) => line.startsWith("notebook"))).toMatch(/^notebook +token +read +\S+ +\S+ +\S+$/);
  expect(list.find((line) => line.startsWith("- "))).toMatch(/everything +\S+ +never +\S+ \(this one\)$/);
  expect((await reprise(ada, "token", "revoke", "none")).errors).toEqual([
    "There is no token none. Nothing was revoked.",
  ]);
  expect(await printed(ada, "token", "revoke", "notebook")).toEqual(["Revoked the token notebook."]);
  expect((await reprise({ token }, "list")).errors).toEqual(["User access token revoked."]);
  for (const wrong of [
    ["--scope", "write"],
    ["--days", "0"],
    ["--days", "x"],
  ])
    expect((await reprise(ada, "token", "create", "a", ...wrong)).code).toBe(2);
});
