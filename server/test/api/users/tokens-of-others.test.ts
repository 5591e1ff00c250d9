import { afterAll, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { apiFixture } from "../../support/api-fixture.ts";

/** The administrator lists and revokes single tokens of another user, over the API and by command. */
const api = await apiFixture();
const server = await api.listen();
afterAll(() => api.close());

async function reprise(...args: readonly string[]) {
  const cli = fakeCli({ environment: { REPRISE_SERVER: server, REPRISE_TOKEN: api.adminToken } });
  const code = await runCli(["user", ...args], cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

test("a single token is revoked, and other tokens stay", async () => {
  const ada = await api.makeUser();
  const payload = { name: "lost laptop", scope: "read" };
  const url = `/api/tokens?access_token=${ada.token}`;
  const lost = (await api.inject({ method: "POST", url, payload })).json<{ id: string; token: string }>();
  const read = async (token: string) => (await api.inject(`/api/workflows?access_token=${token}`)).statusCode;

  const listed = await reprise("tokens", ada.email);
  expect(listed.printed[0]).toMatch(/^NAME +KIND +SCOPE +CREATED +EXPIRES +ID$/);
  expect(listed.printed).toHaveLength(3);
  expect(listed.printed.find((line) => line.includes("lost laptop"))).toMatch(new RegExp(`${lost.id}$`));
  expect(JSON.stringify(await reprise("tokens", ada.email, "--json"))).not.toContain(lost.token);

  const revoke = () => reprise("revoke", ada.email, lost.id);
  expect(await revoke()).toMatchObject({ code: 0, printed: [`The token of ${ada.email} was revoked.`] });
  expect([await read(lost.token), await read(ada.token)]).toEqual([403, 200]);
  expect(await revoke()).toMatchObject({
    code: 1,
    errors: [`${ada.email} has no active token or session with the id ${lost.id}.`],
  });
  expect((await reprise("tokens", ada.id)).printed).toHaveLength(2);
  expect(await reprise("tokens", "nobody@example.org")).toMatchObject({
    code: 1,
    errors: ["User with e-mail nobody@example.org does not exist."],
  });
});

test("a token of one user is not revoked under the name of another", async () => {
  const [ada, bob] = [await api.makeUser(), await api.makeUser()];
  const listing = `/api/admin/users/${ada.id}/tokens?access_token=${api.adminToken}`;
  const [token] = (await api.inject(listing)).json<{ id: string }[]>();
  expect((await reprise("revoke", bob.email, token!.id)).code).toBe(1);
  expect((await api.inject(listing)).json()).toHaveLength(1);
});
