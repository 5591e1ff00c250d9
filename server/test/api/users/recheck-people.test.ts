import { describe, expect, test } from "vitest";
import { createRecheck } from "#operations/users/recheck-people";
import { type BrowserSession, OWN_PAGE, sessionIn } from "../../support/browser-session.ts";
import { ADA, signInFixture } from "../../support/sign-in/sign-in-fixture.ts";

/** People who are signed in, and of whom the provider says something else later. */
describe("the check of people who are signed in", () => {
  const { the, logged, open, signIn } = signInFixture();
  const RULES = { recheck: "1", administrators: "groups: admins" };

  /** Looks at people after some minutes. */
  async function look(minutes = 2): Promise<void> {
    const { clock } = the.api.operations;
    const later = { ...clock, now: () => clock.now() + minutes * 60_000 };
    await createRecheck({ ...the.api.operations, clock: later })();
  }

  async function signedIn(login = "ada"): Promise<BrowserSession> {
    const reply = await signIn(login);
    expect(reply.statusCode).toBe(201);
    return sessionIn(reply);
  }

  const read = (url: string, session: BrowserSession) =>
    the.api.inject({ url, headers: { ...OWN_PAGE, ...session } });
  const isOpen = async (session: BrowserSession) => (await read("/api/session", session)).statusCode === 200;
  const groupsOf = async (session: BrowserSession) =>
    (await read("/api/groups", session)).json<{ name: string }[]>().map(({ name }) => name);

  test("a person who is still there stays signed in, is not asked about too often, and is asked again", async () => {
    await open(RULES);
    const session = await signedIn();
    const before = the.cern.requests();
    await look(0);
    expect(the.cern.requests()).toBe(before);
    await look(2);
    const after = the.cern.requests();
    expect(after).toBeGreaterThan(before);
    await look(2.5);
    expect(the.cern.requests()).toBe(after);
    await look(4);
    expect(the.cern.requests()).toBeGreaterThan(after);
    expect(await isOpen(session)).toBe(true);
  });

  test("a person is asked about although an earlier check has a time of the future, because the clock was set back", async () => {
    await open(RULES);
    await signedIn();
    await look(600);
    const before = the.cern.requests();
    await look(2);
    const after = the.cern.requests();
    expect(after).toBeGreaterThan(before);
    await look(2.5);
    expect(the.cern.requests()).toBe(after);
  });

  test("changed groups and a lost right of an administrator follow, without a sign-in", async () => {
    await open(RULES);
    the.cern.people.set("ada", { ...ADA, groups: ["cms", "admins"] });
    const session = await signedIn();
    expect(await groupsOf(session)).toContain("cern:cms");
    the.cern.people.set("ada", { ...ADA, groups: ["lhcb"] });
    await look();
    expect((await read("/api/session", session)).json()).toMatchObject({ admin: false });
    expect(await groupsOf(session)).toEqual(["cern:lhcb"]);
  });

  test("a person who has left is signed out everywhere, and loses groups and rights", async () => {
    await open(RULES);
    the.cern.people.set("ada", { ...ADA, groups: ["cms", "admins"] });
    const [one, other] = [await signedIn(), await signedIn()];
    the.cern.people.set("bob", { ...ADA, email: "bob@example.org" });
    const bob = await signedIn("bob");
    the.cern.gone.add("ada");
    await look();
    expect(await Promise.all([one, other, bob].map(isOpen))).toEqual([false, false, true]);
    expect(logged.join()).toContain("was signed out");
    const headers = { authorization: `Bearer ${the.api.adminToken}` };
    const users = (await the.api.inject({ url: "/api/admin/users", headers })).json<object[]>();
    expect(users).toContainEqual(
      expect.objectContaining({ email: ADA.email, admin: false, disabled: false }),
    );
    the.cern.gone.clear();
    expect(await isOpen(await signedIn())).toBe(true);
  });

  test("a person whom the rules no longer admit is signed out", async () => {
    await open({ ...RULES, who: "groups: cms" });
    const session = await signedIn();
    the.cern.people.set("ada", { ...ADA, groups: ["lhcb"] });
    await look();
    expect(await isOpen(session)).toBe(false);
  });

  test("while the provider is away or at fault, everybody stays signed in", async () => {
    await open(RULES);
    const session = await signedIn();
    the.cern.isAway = true;
    await look(2);
    expect(await isOpen(session)).toBe(true);
    the.cern.isAway = false;
    the.cern.deviceError = "invalid_client";
    await look(4);
    expect(await isOpen(session)).toBe(true);
    the.cern.deviceError = undefined;
    the.cern.gone.add("ada");
    await look(6);
    expect(await isOpen(session)).toBe(false);
  });

  test("without the setting, and for people who are signed in nowhere, nothing is kept and nobody is asked about", async () => {
    const sealed = async () => {
      const rows = await the.api.operations.db.selectFrom("identities").select("sealed").execute();
      return rows.map((row) => row.sealed);
    };
    await signedIn();
    expect(await sealed()).toEqual([null]);
    await open(RULES);
    const session = await signedIn();
    const [kept] = await sealed();
    expect(kept).toEqual(expect.any(String));
    await the.api.inject({ method: "DELETE", url: "/api/session", headers: { ...OWN_PAGE, ...session } });
    const before = the.cern.requests();
    await look();
    expect([await sealed(), the.cern.requests()]).toEqual([[null], before]);
  });
});
