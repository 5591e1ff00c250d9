import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { OWN_PAGE, sessionIn } from "../../support/browser-session.ts";
import { type Counterpart, startCounterpart } from "../../support/sign-in/counterpart.ts";
import { ADA, messageOf, ORIGIN, signInFixture } from "../../support/sign-in/sign-in-fixture.ts";

/** Accounts that existed before their people sign in by a provider: imported, invited, or made by an administrator. */
describe("a known account", () => {
  const { the, open, provider, post, signIn } = signInFixture();
  let eosc: Counterpart;

  beforeEach(async () => {
    eosc = await startCounterpart({ redirectUris: [`${ORIGIN}/sign-in/eosc`] });
    eosc.people.set("ada-2", ADA);
  });
  afterEach(() => eosc.close());

  const signInByEosc = () => signIn("ada-2", { at: eosc, name: "eosc" });
  const asAdmin = () => ({ authorization: `Bearer ${the.api.adminToken}` });
  const answer = (method: "PUT" | "DELETE", user = ADA.email) =>
    the.api.inject({ method, url: `/api/admin/users/${user}/provider`, headers: asAdmin() });

  /** Starts the server with two providers and a rule about accounts, and makes Ada's account. */
  async function opened(rule: string) {
    await open({ accounts: rule }, provider("eosc", eosc, { accounts: rule }));
    return the.api.makeUser(ADA.email);
  }

  async function askingOf(email: string): Promise<string | null> {
    const reply = await the.api.inject({ url: "/api/admin/users", headers: asAdmin() });
    const users = reply.json<{ email: string; asking_provider: string | null }[]>();
    return users.find((one) => one.email === email)!.asking_provider;
  }

  const openSession = async (token: string) =>
    sessionIn(
      await the.api.inject({ method: "POST", url: "/api/session", headers: OWN_PAGE, payload: { token } }),
    );

  /** Adds a provider to the account of a session, as the page does. */
  async function add(session: ReturnType<typeof sessionIn>, name: string, at: Counterpart, login: string) {
    const begun = (await post(`${name}/add`, undefined, { ...session })).json<{
      url: string;
      attempt: string;
    }>();
    const found = new URL(await at.visit(begun.url, login)).search;
    return post(`${name}/answer`, { attempt: begun.attempt, answer: found });
  }

  test("automatic: the verified address opens the account, which keeps its token, and gets no second one", async () => {
    const { id, token } = await opened("automatic");
    expect((await signIn("ada")).json()).toMatchObject({ id_: id, token: null });
    const headers = { authorization: `Bearer ${token}` };
    expect((await the.api.inject({ url: "/api/you", headers })).statusCode).toBe(200);
    const second = await signInByEosc();
    expect([second.statusCode, messageOf(second)]).toEqual([
      409,
      expect.stringContaining("Sign in with CERN, then add EOSC"),
    ]);
  });

  test("automatic: an unverified address opens nothing", async () => {
    await opened("automatic");
    the.cern.people.set("ada", { ...ADA, email_verified: false });
    expect(messageOf(await signIn("ada"))).toContain("no e-mail address for you that it has verified");
  });

  test("automatic: an administrator's account and a disabled account stay closed", async () => {
    await opened("automatic");
    const user = `/api/admin/users/${ADA.email}`;
    await the.api.inject({ method: "PUT", url: `${user}/admin`, headers: asAdmin() });
    expect((await signIn("ada")).json()).toMatchObject({ code: "user-waiting" });
    expect(await askingOf(ADA.email)).toBe("cern");
    await the.api.makeUser("bob@example.org");
    await the.api.inject({
      method: "POST",
      url: "/api/admin/users/bob@example.org/disable",
      headers: asAdmin(),
    });
    the.cern.people.set("bob", { ...ADA, email: "bob@example.org" });
    expect((await signIn("bob")).json()).toMatchObject({ code: "user-disabled" });
  });

  test("automatic: a provider that the user has removed does not come back by the address", async () => {
    await opened("automatic");
    const session = sessionIn(await signIn("ada"));
    const headers = { ...OWN_PAGE, ...session };
    const url = "/api/session/providers/cern";
    expect((await the.api.inject({ method: "DELETE", url, headers })).statusCode).toBe(200);
    expect(messageOf(await signIn("ada"))).toContain("Sign in with a code or an access token, then add CERN");
  });

  test("consent: the person waits until an administrator agrees", async () => {
    const { id } = await opened("consent");
    const refused = await signIn("ada");
    expect([refused.statusCode, refused.json()]).toEqual([
      403,
      {
        code: "user-waiting",
        message:
          "CERN knows you. ada@example.org has an account here already. The server's administrator must agree that CERN " +
          "opens it. With a code or an access token of the account, sign in with that now and add CERN on the page of your " +
          "account.",
      },
    ]);
    expect((await signIn("ada")).json()).toMatchObject({ code: "user-waiting" });
    expect((await answer("PUT")).json()).toMatchObject({ email: ADA.email, asking_provider: null });
    expect((await signIn("ada")).json()).toMatchObject({ id_: id, email: ADA.email });
    expect((await answer("PUT")).statusCode).toBe(404);
  });

  test("consent: a refused person does not come in, and may ask again", async () => {
    await opened("consent");
    await signIn("ada");
    expect((await answer("DELETE")).statusCode).toBe(200);
    expect(await askingOf(ADA.email)).toBeNull();
    expect((await signIn("ada")).json()).toMatchObject({ code: "user-waiting" });
  });

  test("consent: two providers that claim one address: the second is refused, and both are named", async () => {
    await opened("consent");
    await signIn("ada");
    const second = await signInByEosc();
    expect([second.statusCode, messageOf(second)]).toEqual([
      409,
      expect.stringContaining("CERN and EOSC both claim the account ada@example.org, and CERN was first."),
    ]);
    await answer("PUT");
    expect(messageOf(await signInByEosc())).toContain("Sign in with CERN, then add EOSC");
  });

  test("the user of the account sees who asks, and agrees by adding the provider", async () => {
    const { id, token } = await opened("consent");
    await signIn("ada");
    const session = await openSession(token);
    const headers = { ...OWN_PAGE, ...session };
    const own = await the.api.inject({ url: "/api/session/providers", headers });
    expect(own.json()).toEqual([
      { name: "cern", title: "CERN", added: false, asks: true, offered: true },
      { name: "eosc", title: "EOSC", added: false, asks: false, offered: true },
    ]);
    expect((await add(session, "cern", the.cern, "ada")).statusCode).toBe(201);
    expect((await signIn("ada")).json()).toMatchObject({ id_: id });
    expect(await askingOf(ADA.email)).toBeNull();
  });

  test("a provider that has left the settings is shown as such, and can be removed", async () => {
    const { token } = await opened("automatic");
    const cern = sessionIn(await signIn("ada"));
    expect((await add(cern, "eosc", eosc, "ada-2")).statusCode).toBe(201);
    const { db } = the.api.operations;
    await db.updateTable("identities").set({ provider: "old" }).where("provider", "=", "eosc").execute();
    const headers = { ...OWN_PAGE, ...(await openSession(token)) };
    const shown = await the.api.inject({ url: "/api/session/providers", headers });
    expect(shown.json()).toContainEqual({
      name: "old",
      title: "old",
      added: true,
      asks: false,
      offered: false,
    });
    const url = "/api/session/providers/old";
    expect((await the.api.inject({ method: "DELETE", url, headers })).statusCode).toBe(200);
  });

  test("a session of more than 15 minutes neither adds nor removes a provider", async () => {
    const { token } = await opened("automatic");
    await signIn("ada");
    const session = await openSession(token);
    const headers = { ...OWN_PAGE, ...session };
    const { db } = the.api.operations;
    const long = Date.now() - 16 * 60_000;
    await db.updateTable("tokens").set({ created_at: long }).where("kind", "=", "session").execute();
    const begun = await post("eosc/add", undefined, { ...session });
    expect([begun.statusCode, begun.json()]).toEqual([
      403,
      {
        code: "sign-in-too-old",
        message:
          "EOSC was not added: you signed in more than 15 minutes ago. Sign out and in again, then repeat it.",
      },
    ]);
    const url = "/api/session/providers/cern";
    const removal = await the.api.inject({ method: "DELETE", url, headers });
    expect([removal.statusCode, removal.json()]).toMatchObject([403, { code: "sign-in-too-old" }]);
    const fresh = { ...OWN_PAGE, ...(await openSession(token)) };
    expect((await the.api.inject({ method: "DELETE", url, headers: fresh })).statusCode).toBe(200);
  });
});
