import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { apiFixture } from "../support/api-fixture.ts";

/** `reprise user export` and `reprise user import`. */
const api = await apiFixture();
const server = await api.listen();
const ada = await api.makeUser("ada@example.org");
const off = await api.makeDisabledUser();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "reprise-users-"));
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

async function reprise(...args: readonly string[]) {
  const cli = fakeCli({ environment: { REPRISE_SERVER: server, REPRISE_TOKEN: api.adminToken } });
  const code = await runCli(["user", ...args], cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

async function table(text: string): Promise<string> {
  const file = path.join(folder, "users.csv");
  await writeFile(file, text);
  return file;
}

const ofToken = async (token: string) => (await api.inject(`/api/you?access_token=${token}`)).json().email;

test("all users are exported, with tokens only if they are asked for", async () => {
  expect((await reprise("export")).printed).toEqual([
    "email,admin,disabled",
    "admin@localhost,yes,no",
    "ada@example.org,no,no",
    `${off.email},no,yes`,
  ]);
  expect((await reprise("export", "--tokens")).printed).toContain(`ada@example.org,no,no,${ada.token}`);
});

test("an exported table adds the same users to another server, with tokens, states and office", async () => {
  const other = await apiFixture();
  const url = await other.listen();
  const cli = () => fakeCli({ environment: { REPRISE_SERVER: url, REPRISE_TOKEN: other.adminToken } });
  const file = await table((await reprise("export", "--tokens")).printed.join("\n"));
  const first = cli();
  expect(await runCli(["user", "import", file], first)).toBe(0);
  expect([first.printed, first.errors]).toEqual([[], ["2 users added, 1 there before."]]);
  const you = await other.inject(`/api/you?access_token=${ada.token}`);
  expect(you.json()).toMatchObject({ email: "ada@example.org" });
  expect((await other.inject(`/api/you?access_token=${off.token}`)).statusCode).toBe(403);
  const again = cli();
  await runCli(["user", "import", file], again);
  expect(again.errors).toEqual(["0 users added, 3 there before."]);
  await other.close();
});

test("users without a token get a token, printed once, and a dry run changes no user", async () => {
  const file = await table("email,admin\nnew@example.org,yes\nADA@example.org,\n");
  expect(await reprise("import", file, "--dry-run")).toEqual({
    code: 0,
    printed: ["new@example.org would be added with a new token."],
    errors: ["Nothing was changed: 1 to add, 1 there already."],
  });
  const { printed, errors } = await reprise("import", file);
  expect([printed[0], errors]).toEqual(["email,token", ["1 user added, 1 there before."]]);
  const [email, token] = printed[1]!.split(",");
  expect([email, await ofToken(token!)]).toEqual(["new@example.org", "new@example.org"]);
  const users = (await api.inject(`/api/admin/users?access_token=${api.adminToken}`)).json();
  expect(users.at(-1)).toMatchObject({ email: "new@example.org", admin: true });
});

test("the output of reana-admin is imported with its tokens", async () => {
  const file = await table("0f5e,kim@example.org,kims.reana.token,kim,Kim\n");
  expect((await reprise("import", file)).errors).toEqual(["1 user added, 0 there before."]);
  expect(await ofToken("kims.reana.token")).toBe("kim@example.org");
});

test.each([
  ["email\nnobody\n", `"nobody" is not an e-mail address. Nothing was imported.`],
  ["email\nx@example.org\nX@example.org\n", "names x@example.org twice. Nothing was imported."],
  ["name\nx\n", 'has no column "email": the first line names the columns.'],
  ['email\n"x@example.org\n', "is not CSV: a quote is not closed, or stands inside a cell."],
])("%j is refused", async (text, words) => {
  const before = (await reprise("export")).printed;
  const { code, errors } = await reprise("import", await table(text));
  expect([code, errors]).toEqual([1, [expect.stringContaining(words)]]);
  expect((await reprise("export")).printed).toEqual(before);
});
