import { afterAll, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { apiFixture } from "../../support/api-fixture.ts";

/** Announcements of the administrator to all users. */
const api = await apiFixture({ config: { publicUrl: "https://reprise.example.org" } });
const server = await api.listen();
afterAll(() => api.close());

async function reprise(...args: readonly string[]) {
  const cli = fakeCli({ environment: { REPRISE_SERVER: server, REPRISE_TOKEN: api.adminToken } });
  const code = await runCli(args, cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

const shown = async () => (await api.inject("/api/config")).json().announcement;

test("an announcement is shown to everybody, replaced and removed", async () => {
  expect(await shown()).toBe("");
  expect((await reprise("admin", "announce", "Upgrade at noon.")).printed).toEqual([
    "All users see: Upgrade at noon.",
  ]);
  expect(await shown()).toBe("Upgrade at noon.");
  await reprise("admin", "announce", "Upgrade at one.");
  expect((await reprise("admin", "announce")).printed).toEqual(["All users see: Upgrade at one."]);
  expect((await reprise("admin", "announce", "--end")).printed).toEqual(["There is no announcement."]);
  expect(await shown()).toBe("");
});

test("an empty or endless text, and a text beside --end, are refused", async () => {
  expect(await reprise("admin", "announce", "  ")).toMatchObject({
    code: 1,
    errors: ["Nothing was announced: the text is empty. DELETE removes an announcement."],
  });
  expect((await reprise("admin", "announce", "x".repeat(501))).code).toBe(1);
  expect(await reprise("admin", "announce", "x", "--end")).toMatchObject({
    code: 2,
    errors: ["--end removes the announcement: leave the text out."],
  });
});

test("invitations and sign-ins name the public address of the server", async () => {
  const { printed } = await reprise("user", "invite", "ada@example.org");
  expect(printed[0]).toMatch(/^https:\/\/reprise\.example\.org\/sign-in#/);
  expect((await reprise("login")).printed[0]).toMatch(/^https:\/\/reprise\.example\.org\/sign-in#/);
});
