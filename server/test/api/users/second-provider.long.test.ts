import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "#backends/free-port-fixture";
import { createRecheck } from "#operations/users/recheck-people";
import { OWN_PAGE, sessionIn } from "../../support/browser-session.ts";
import { conformanceEnvironment } from "../../support/conformance-environment.ts";
import { ADA, messageOf, signInFixture } from "../../support/sign-in/sign-in-fixture.ts";

/** Signs people in by a provider of another make: `oidc-provider-mock`, which is built on Python's Authlib. */
describe("sign-in by a provider in Python", () => {
  const { the, open, provider, post, begin } = signInFixture();
  let process: ChildProcess;
  let issuer: string;

  beforeAll(async () => {
    const port = String(await freePort());
    const program = path.join(await conformanceEnvironment("openid"), "bin", "oidc-provider-mock");
    const claims = JSON.stringify({ ...ADA, sub: "ada", groups: ["cms"] });
    process = spawn(program, ["--port", port, "--user-claims", claims], { stdio: "ignore" });
    issuer = `http://127.0.0.1:${port}`;
    const isReady = async () => (await fetch(`${issuer}/jwks`).catch(() => undefined))?.ok === true;
    while (!(await isReady())) await delay(100);
  });
  beforeEach(() => open({}, provider("python", { issuer }, { recheck: "1" })));
  afterAll(async () => {
    process.kill();
    await once(process, "exit");
  });

  /** Fills in the form of the provider. Returns the reply of this server. */
  async function answered(form: Readonly<Record<string, string>>) {
    const { url, attempt } = await begin("python");
    const sent = { method: "POST", body: new URLSearchParams(form), redirect: "manual" } as const;
    const back = new URL((await fetch(url, sent)).headers.get("location")!);
    return post("python/answer", { attempt, answer: back.search });
  }

  test("a person gets an account with groups, and the next time the same account", async () => {
    const first = await answered({ sub: "ada" });
    expect([first.statusCode, first.json()]).toEqual([201, expect.objectContaining({ email: ADA.email })]);
    const headers = { ...OWN_PAGE, ...sessionIn(first) };
    expect((await the.api.inject({ url: "/api/groups", headers })).json()).toEqual([
      expect.objectContaining({ name: "python:cms" }),
    ]);
    const again = await answered({ sub: "ada" });
    expect(again.json()).toMatchObject({ id_: first.json<{ id_: string }>().id_ });
  });

  // This provider leaves the state out when a person declines.
  test("an answer without the state signs nobody in", async () => {
    const refused = await answered({ action: "deny" });
    expect([refused.statusCode, messageOf(refused)]).toEqual([
      403,
      expect.stringContaining("PYTHON did not sign you in: its answer was not accepted."),
    ]);
  });

  test("a person is asked about again by the refresh token, and stays signed in", async () => {
    const headers = { ...OWN_PAGE, ...sessionIn(await answered({ sub: "ada" })) };
    const { clock, db } = the.api.operations;
    for (const minutes of [2, 4]) {
      const later = { ...clock, now: () => clock.now() + minutes * 60_000 };
      await createRecheck({ ...the.api.operations, clock: later })();
    }
    expect((await the.api.inject({ url: "/api/session", headers })).statusCode).toBe(200);
    const { checked_at: checkedAt } = await db
      .selectFrom("identities")
      .select("checked_at")
      .executeTakeFirstOrThrow();
    expect(checkedAt).toBeGreaterThan(clock.now() + 3 * 60_000);
  });
});
