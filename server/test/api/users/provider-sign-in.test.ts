import { describe, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";
import { OWN_PAGE, sessionIn } from "../../support/browser-session.ts";
import { startCounterpart } from "../../support/sign-in/counterpart.ts";
import { ADA, messageOf, ORIGIN, signInFixture } from "../../support/sign-in/sign-in-fixture.ts";

describe("sign-in by a provider", () => {
  const { the, logged, open, provider, post, begin, answerOf, signIn, users } = signInFixture();

  test("a person gets an account, groups and a token, and the next time the same account", async () => {
    const first = await signIn("ada");
    expect(first.statusCode).toBe(201);
    const { id_: id, email, admin, token } = first.json<Record<string, unknown>>();
    expect({ email, admin }).toEqual({ email: "ada@example.org", admin: false });
    const you = await the.api.inject({ url: "/api/session", headers: { ...OWN_PAGE, ...sessionIn(first) } });
    expect(you.json()).toMatchObject({ id_: id });
    const groups = await the.api.inject({
      url: "/api/groups",
      headers: { authorization: `Bearer ${String(token)}` },
    });
    expect(groups.json<{ name: string }[]>().map(({ name }) => name)).toEqual(["cern:atlas", "cern:cms"]);
    the.cern.people.set("ada", { ...ADA, groups: ["lhcb", "a b"] });
    const second = await signIn("ada");
    expect(second.json()).toMatchObject({ id_: id, token: null });
    const later = await the.api.inject({
      url: "/api/groups",
      headers: { authorization: `Bearer ${String(token)}` },
    });
    expect(later.json<{ name: string }[]>().map(({ name }) => name)).toEqual(["cern:lhcb"]);
  });

  test.each([
    ["who", { who: "groups: /lhcb" }, "this server admits only some of its people"],
    ["an unverified address", { who: "email: *@example.org" }, "this server admits only some of its people"],
    ["no verified address", {}, "gives no e-mail address for you that it has verified"],
  ])("a stranger by the rule about %s is refused, and no account is made", async (_rule, rules, sentence) => {
    await open(rules);
    the.cern.people.set("eve", { email: "eve@example.org", email_verified: false, groups: ["cms"] });
    const reply = await signIn("eve");
    expect(reply.statusCode).toBe(403);
    expect(messageOf(reply)).toContain(sentence);
    expect(await users()).toEqual(["admin@localhost"]);
  });

  test("a person waits for consent, is admitted, and then gets the first token", async () => {
    await open({ admit: "consent" });
    const refused = await signIn("ada");
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({ code: "user-waiting" });
    const admin = { authorization: `Bearer ${the.api.adminToken}` };
    const accounts = await the.api.inject({ url: "/api/admin/users", headers: admin });
    expect(accounts.json()).toContainEqual(
      expect.objectContaining({ email: ADA.email, disabled: true, waiting: true }),
    );
    expect((await signIn("ada")).json()).toMatchObject({ code: "user-waiting" });
    await the.api.inject({ method: "POST", url: `/api/admin/users/${ADA.email}/enable`, headers: admin });
    expect((await signIn("ada")).json()).toMatchObject({ token: expect.any(String) });
    await the.api.inject({ method: "POST", url: `/api/admin/users/${ADA.email}/disable`, headers: admin });
    expect((await signIn("ada")).json()).toMatchObject({ code: "user-disabled" });
  });

  test("a person whom the administrator refuses is disabled, and no longer waits", async () => {
    await open({ admit: "consent" });
    await signIn("ada");
    const headers = { authorization: `Bearer ${the.api.adminToken}` };
    const url = `/api/admin/users/${ADA.email}/disable`;
    expect((await the.api.inject({ method: "POST", url, headers })).json()).toMatchObject({ waiting: false });
    expect((await signIn("ada")).json()).toMatchObject({ code: "user-disabled" });
  });

  test("a claim makes an administrator and takes it back, but not from the last one, nor what a person gave", async () => {
    await open({ administrators: "groups: admins" });
    the.cern.people.set("ada", { ...ADA, groups: ["admins"] });
    expect((await signIn("ada")).json()).toMatchObject({ admin: true });
    the.cern.people.set("ada", ADA);
    expect((await signIn("ada")).json()).toMatchObject({ admin: false });
    const headers = { authorization: `Bearer ${the.api.adminToken}` };
    await the.api.inject({ method: "PUT", url: `/api/admin/users/${ADA.email}/admin`, headers });
    expect((await signIn("ada")).json()).toMatchObject({ admin: true });
    the.cern.people.set("bob", { ...ADA, email: "bob@example.org", groups: ["admins"] });
    expect((await signIn("bob")).json()).toMatchObject({ admin: true });
    await the.api.inject({ method: "DELETE", url: `/api/admin/users/${ADA.email}/admin`, headers });
    await the.api.inject({ method: "DELETE", url: "/api/admin/users/admin@localhost/admin", headers });
    the.cern.people.set("bob", { ...ADA, email: "bob@example.org", groups: [] });
    expect((await signIn("bob")).json()).toMatchObject({ admin: true });
    expect(logged.join()).toContain("the last administrator stays");
  });

  test("the subject counts: a changed address follows, unless another user has it", async () => {
    const first = await signIn("ada");
    the.cern.people.set("ada", { ...ADA, email: "ada@new.example.org" });
    expect((await signIn("ada")).json()).toMatchObject({
      id_: first.json<{ id_: string }>().id_,
      email: "ada@new.example.org",
    });
    await the.api.makeUser("taken@example.org");
    the.cern.people.set("ada", { ...ADA, email: "taken@example.org" });
    expect((await signIn("ada")).json()).toMatchObject({ email: "ada@new.example.org" });
    the.cern.people.set("ada", { ...ADA, email: "ada@third.example.org" });
    expect((await signIn("ada")).json()).toMatchObject({ email: "ada@third.example.org" });
    the.cern.people.set("eve", { ...ADA, email: "ada@third.example.org" });
    const eve = await signIn("eve");
    expect(eve.statusCode).toBe(409);
    expect(messageOf(eve)).toContain("Sign in with CERN, then add CERN");
  });

  test("two providers that claim one address: the second is refused, names the first, and can be added", async () => {
    const eosc = await startCounterpart({ redirectUris: [`${ORIGIN}/sign-in/eosc`] });
    eosc.people.set("ada-2", ADA);
    await open({}, provider("eosc", eosc));
    const where = { at: eosc, name: "eosc" };
    const first = await signIn("ada");
    const refused = await signIn("ada-2", where);
    expect(refused.statusCode).toBe(409);
    expect(messageOf(refused)).toBe(
      "You are not signed in: ada@example.org belongs to an account of this server. Sign in with CERN, then add EOSC on " +
        "the page of your account.",
    );
    const session = { ...OWN_PAGE, ...sessionIn(first) };
    const begun = (await post("eosc/add", undefined, session)).json<{ url: string; attempt: string }>();
    const answer = new URL(await eosc.visit(begun.url, "ada-2")).search;
    expect((await post("cern/answer", { attempt: begun.attempt, answer })).statusCode).toBe(403);
    const added = await post("eosc/answer", { attempt: begun.attempt, answer });
    expect(added.json()).toMatchObject({ id_: first.json<{ id_: string }>().id_, token: null });
    expect((await signIn("ada-2", where)).json()).toMatchObject({ email: ADA.email });
    const own = await the.api.inject({ url: "/api/session/providers", headers: session });
    expect(own.json()).toEqual([
      { name: "cern", title: "CERN", added: true, asks: false, offered: true },
      { name: "eosc", title: "EOSC", added: true, asks: false, offered: true },
    ]);
    await eosc.close();
  });

  test("an invited user, and a user with a token, keep their way in and can add a provider", async () => {
    const { token } = await the.api.makeUser(ADA.email);
    const refused = await signIn("ada");
    expect(messageOf(refused)).toContain("Sign in with a code or an access token, then add CERN");
    const opened = await openSession(token);
    expect(opened.statusCode).toBe(201);
    const session = sessionIn(opened);
    const begun = (await post("cern/add", undefined, session)).json<{ url: string; attempt: string }>();
    const answer = new URL(await the.cern.visit(begun.url, "ada")).search;
    expect((await post("cern/answer", { attempt: begun.attempt, answer })).statusCode).toBe(201);
    expect((await signIn("ada")).json()).toMatchObject({ id_: opened.json<{ id_: string }>().id_ });
  });

  const openSession = (token: string) =>
    the.api.inject({ method: "POST", url: "/api/session", headers: OWN_PAGE, payload: { token } });

  test("a user cannot add a provider that is unknown or away", async () => {
    const { token } = await the.api.makeUser("bob@example.org");
    const add = async (name: string) => post(`${name}/add`, undefined, sessionIn(await openSession(token)));
    expect((await add("none")).statusCode).toBe(404);
    the.cern.isAway = true;
    expect((await add("cern")).statusCode).toBe(503);
  });

  test.each([
    [415, "multipart/form-data; boundary=b", "--b--"],
    [413, "application/json", `"${"a".repeat(1024 * 1024)}"`],
  ])("an answer is refused with %i if its body is %s", async (status, type, payload) => {
    const headers = { ...OWN_PAGE, "content-type": type };
    const url = "/api/session/providers/cern/answer";
    expect((await the.api.inject({ method: "POST", url, headers, payload })).statusCode).toBe(status);
  });

  test("while the provider is away nobody new signs in, and a signed-in person stays", async () => {
    const first = await signIn("ada");
    const attempt = await answerOf("ada");
    the.cern.isAway = true;
    for (const reply of [await post("cern/answer", attempt), await afterDescription()]) {
      expect(reply.statusCode).toBe(503);
      expect(messageOf(reply)).toBe(
        "CERN does not respond, so it can sign nobody in now. Browsers and programs that are signed in stay signed in. " +
          "Try again in a few minutes.",
      );
    }
    const you = await the.api.inject({ url: "/api/session", headers: { ...OWN_PAGE, ...sessionIn(first) } });
    expect(you.statusCode).toBe(200);
  });

  /** Begins a sign-in at a server that has not read the provider's description yet. */
  async function afterDescription() {
    const before = the.api;
    const [session] = provider("cern", the.cern);
    the.api = await apiFixture({ parts: { signInProviders: [session!] } });
    const reply = await post("cern");
    await the.api.close();
    the.api = before;
    return reply;
  }

  test("keys that the provider has replaced are read again", async () => {
    expect((await signIn("ada")).statusCode).toBe(201);
    the.cern.rollKeys();
    expect((await signIn("ada")).statusCode).toBe(201);
  });

  test("nobody begins a sign-in from another page, and people who refuse are named the reason", async () => {
    const foreign = await the.api.inject({
      method: "POST",
      url: "/api/session/providers/cern",
      headers: { host: OWN_PAGE.host, "sec-fetch-site": "same-site" },
    });
    expect(foreign.statusCode).toBe(403);
    const { url, attempt } = await begin();
    const state = new URL(url).searchParams.get("state")!;
    const iss = encodeURIComponent(the.cern.issuer);
    const denied = `?error=access_denied&state=${state}&iss=${iss}`;
    const reply = await post("cern/answer", { attempt, answer: denied });
    expect(messageOf(reply)).toContain("CERN did not sign you in (access_denied).");
    const evil = `?error=access_denied&state=${state}&iss=https%3A%2F%2Fevil.example.org`;
    expect(messageOf(await post("cern/answer", { attempt, answer: evil }))).toContain("was not accepted");
  });

  test("the members of a provider's group are changed at the provider alone", async () => {
    await signIn("ada");
    await the.api.makeUser("bob@example.org");
    const headers = { authorization: `Bearer ${the.api.adminToken}` };
    const url = `/api/groups/${encodeURIComponent("cern:atlas")}/members`;
    for (const request of [
      { method: "PUT", url: `${url}/bob@example.org`, headers },
      { method: "DELETE", url: `${url}/${ADA.email}`, headers },
    ] as const) {
      const reply = await the.api.inject(request);
      expect(reply.statusCode).toBe(403);
      expect(messageOf(reply)).toContain("they come from a provider of sign-in");
    }
  });

  test("a deleted account does not come back with the address, but by an invitation", async () => {
    await signIn("ada");
    const headers = { authorization: `Bearer ${the.api.adminToken}` };
    await the.api.inject({ method: "DELETE", url: `/api/admin/users/${ADA.email}`, headers });
    const reply = await signIn("ada");
    expect(reply.statusCode).toBe(409);
    expect(messageOf(reply)).toContain("ask the server's administrator for an invitation");
  });
});
