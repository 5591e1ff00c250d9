import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AuditEntry } from "#plumbing/audit-log";
import { apiFixture } from "../../support/api-fixture.ts";
import {
  type BrowserSession,
  newBrowserSession,
  OWN_PAGE,
  sessionIn,
} from "../../support/browser-session.ts";
import { auditInMemory } from "../../support/fakes/audit-in-memory.ts";
import { type Counterpart, startCounterpart } from "../../support/sign-in/counterpart.ts";
import { ADA, messageOf, ORIGIN, signInFixture } from "../../support/sign-in/sign-in-fixture.ts";

const EOSC = "eosc";

describe("the removal of a provider", () => {
  const { the, open, provider, post, signIn } = signInFixture();
  let eosc: Counterpart;

  beforeEach(async () => {
    eosc = await startCounterpart({ redirectUris: [`${ORIGIN}/sign-in/${EOSC}`] });
    eosc.people.set("ada-2", ADA);
    await open({}, provider(EOSC, eosc));
  });
  afterEach(() => eosc.close());

  const signInByEosc = async () => sessionIn(await signIn("ada-2", { at: eosc, name: EOSC }));

  /** Signs Ada in by CERN, and adds EOSC. */
  async function ada() {
    const session = sessionIn(await signIn("ada"));
    const begun = (await post(`${EOSC}/add`, undefined, session)).json<{ url: string; attempt: string }>();
    const answer = new URL(await eosc.visit(begun.url, "ada-2")).search;
    const added = await post(`${EOSC}/answer`, { attempt: begun.attempt, answer });
    expect(added.statusCode).toBe(201);
    return { session, added: sessionIn(added) };
  }

  const remove = (name: string, headers: Readonly<Record<string, string>>) =>
    the.api.inject({
      method: "DELETE",
      url: `/api/session/providers/${name}`,
      headers: { ...OWN_PAGE, ...headers },
    });

  const read = (url: string, session: BrowserSession) =>
    the.api.inject({ url, headers: { ...OWN_PAGE, ...session } });

  async function isOpen(session: BrowserSession): Promise<boolean> {
    return (await read("/api/session", session)).statusCode === 200;
  }

  async function providersOf(session: BrowserSession): Promise<readonly string[]> {
    const list = (await read("/api/session/providers", session)).json<{ name: string; added: boolean }[]>();
    return list.filter(({ added }) => added).map(({ name }) => name);
  }

  async function revoke(session: BrowserSession, name: string): Promise<void> {
    const list = (await read("/api/tokens", session)).json<{ id: string; name: string }[]>();
    const { id } = list.find((one) => one.name === name)!;
    const headers = { ...OWN_PAGE, ...session };
    const reply = await the.api.inject({ method: "DELETE", url: `/api/tokens/${id}`, headers });
    expect(reply.statusCode).toBe(200);
  }

  test("the provider no longer signs the person in, and its sessions and groups end", async () => {
    const { session, added } = await ada();
    const later = await signInByEosc();
    const groups = async () =>
      (await read("/api/groups", session)).json<{ name: string }[]>().map(({ name }) => name);
    expect(await groups()).toEqual(["cern:atlas", "cern:cms", "eosc:atlas", "eosc:cms"]);
    const reply = await remove(EOSC, session);
    expect([reply.statusCode, reply.json()]).toEqual([200, { ended: 2 }]);
    expect(await Promise.all([session, added, later].map(isOpen))).toEqual([true, false, false]);
    expect(await groups()).toEqual(["cern:atlas", "cern:cms"]);
    expect(await providersOf(session)).toEqual(["cern"]);
    expect(messageOf(await signIn("ada-2", { at: eosc, name: EOSC }))).toContain("Sign in with CERN");
    expect((await remove(EOSC, session)).statusCode).toBe(404);
  });

  test("the browser that removes the provider by which it signed in stays signed in", async () => {
    const { session, added } = await ada();
    expect((await remove("cern", session)).json()).toEqual({ ended: 0 });
    expect(await Promise.all([session, added].map(isOpen))).toEqual([true, true]);
    expect(await providersOf(session)).toEqual([EOSC]);
  });

  test("the only way into an account stays, until there is a token that may do everything", async () => {
    const session = sessionIn(await signIn("ada"));
    await revoke(session, "first sign-in");
    const headers = { ...OWN_PAGE, ...session };
    const issue = (scope: string) =>
      the.api.inject({ method: "POST", url: "/api/tokens", headers, payload: { name: scope, scope } });
    await issue("runs");
    const refused = await remove("cern", session);
    expect([refused.statusCode, messageOf(refused)]).toEqual([
      409,
      "CERN was not removed: you could not sign in again, because your account has no other provider and no access " +
        "token that may do everything. Add a provider or make a token on the page of your account first.",
    ]);
    expect(await providersOf(session)).toEqual(["cern"]);
    await issue("everything");
    expect((await remove("cern", session)).statusCode).toBe(200);
  });

  test("a provider that has left the settings can be removed, and is not a way in", async () => {
    const { session } = await ada();
    const { db } = the.api.operations;
    await db.updateTable("identities").set({ provider: "gone" }).where("provider", "=", EOSC).execute();
    await revoke(session, "first sign-in");
    expect((await remove("cern", session)).statusCode).toBe(409);
    expect((await remove("gone", session)).json()).toEqual({ ended: 1 });
    expect((await remove("cern", session)).statusCode).toBe(409);
  });

  test("a right of an administrator that its claim gave ends, but not the last one", async () => {
    await open({ administrators: "groups: cms" });
    const first = await signIn("ada");
    expect(first.json()).toMatchObject({ admin: true });
    const session = sessionIn(first);
    const admin = { method: "DELETE", url: "/api/admin/users/admin@localhost/admin" } as const;
    const headers = { authorization: `Bearer ${the.api.adminToken}` };
    await the.api.inject({ ...admin, headers });
    const refused = await remove("cern", session);
    expect([refused.statusCode, messageOf(refused)]).toEqual([
      409,
      "CERN was not removed from the account ada@example.org: this server would have no administrator.",
    ]);
    expect(await providersOf(session)).toEqual(["cern"]);
    await the.api.inject({ ...admin, method: "PUT", headers: { ...OWN_PAGE, ...session } });
    expect((await remove("cern", session)).statusCode).toBe(200);
    expect((await read("/api/session", session)).json()).toMatchObject({ admin: false });
  });

  test("another page, and a user without the provider, remove nothing", async () => {
    const { session } = await ada();
    const foreign = await remove(EOSC, { ...session, "sec-fetch-site": "same-site" });
    expect(foreign.statusCode).toBe(403);
    const bob = await newBrowserSession(the.api, (await the.api.makeUser("bob@example.org")).token);
    const absent = await remove(EOSC, bob);
    expect([absent.statusCode, messageOf(absent)]).toEqual([
      404,
      "Your account has no provider EOSC to remove.",
    ]);
    expect(await providersOf(session)).toEqual(["cern", EOSC]);
  });

  test.each([
    ["the browser was signed out", (session: BrowserSession) => signOut(session)],
    ["another browser removed the provider that opened the session", () => removeCern()],
  ])("a provider cannot be added by what began before %s", async (_event, happen) => {
    const session = sessionIn(await signIn("ada"));
    const begun = (await post(`${EOSC}/add`, undefined, session)).json<{ url: string; attempt: string }>();
    const answer = new URL(await eosc.visit(begun.url, "ada-2")).search;
    await happen(session);
    const reply = await post(`${EOSC}/answer`, { attempt: begun.attempt, answer });
    expect([reply.statusCode, messageOf(reply)]).toEqual([
      403,
      "EOSC was not added: the browser that began was signed out. Sign in, and add EOSC again on the page of your account.",
    ]);
    expect((await signIn("ada-2", { at: eosc, name: EOSC })).statusCode).toBe(409);
  });

  async function signOut(session: BrowserSession): Promise<void> {
    const headers = { ...OWN_PAGE, ...session };
    const reply = await the.api.inject({ method: "DELETE", url: "/api/session", headers });
    expect(reply.statusCode).toBe(200);
  }

  async function removeCern(): Promise<void> {
    expect((await remove("cern", sessionIn(await signIn("ada")))).json()).toEqual({ ended: 1 });
  }

  test("is in the audit log", async () => {
    await the.api.close();
    const entries: AuditEntry[] = [];
    const signInProviders = provider("cern", the.cern);
    the.api = await apiFixture({ audit: auditInMemory(entries), parts: { signInProviders } });
    const session = sessionIn(await signIn("ada"));
    await remove("cern", session);
    expect(entries.at(-1)).toMatchObject({
      action: "remove-provider",
      user: ADA.email,
      status: 200,
      subject: { provider: "cern" },
    });
  });
});
