import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { ADMIN_TOKEN, client, startRealServer, temporaryFolder } from "../support/real-server.ts";

const GIVEN = "given.by.the-administrator-0123456789abcdef";
const WRONG = "wrong.token.that-nobody-has-0123456789abcdef";

test("no output of the process holds a token", async () => {
  const { folder, remove } = await temporaryFolder();
  const server = await startRealServer(folder, { REPRISE_LOG_LEVEL: "trace" });
  const admin = client(server.url);
  const made = await admin.call("POST", "users", undefined, "&email=a@example.org");
  const token = made.body["access_token"] as string;
  await admin.call("POST", "users", undefined, `&email=b@example.org&user_token=${GIVEN}`);
  await admin.call("GET", "users", undefined, `&user_token=${GIVEN}`);
  await client(server.url, token).create(["true"]);
  await client(server.url, WRONG).call("GET", "workflows");
  await client(server.url, WRONG).call("GET", "nowhere");
  for (const header of ["authorization", "cookie", "x-gitlab-token"]) {
    await fetch(`${server.url}/api/workflows`, { headers: { [header]: `Bearer ${token}` } });
  }
  await fetch(`${server.url}/api/workflows/%?access_token=${token}`);
  await fetch(`${server.url}/api/workflows?access_token=${token}`, { method: "PATCH" });
  await fetch(`${server.url}/api/workflows?access_token=${token}`, { method: "POST", body: `{"${token}` });
  await server.stop();

  const logs = await Promise.all(
    (await readdir(path.join(folder, "logs"))).map((name) =>
      readFile(path.join(folder, "logs", name), "utf8"),
    ),
  );
  const written = server.output() + logs.join("");
  expect(written).toContain("/api/workflows");
  for (const secret of [ADMIN_TOKEN, token, GIVEN, WRONG]) expect(written).not.toContain(secret);
  await remove();
});
