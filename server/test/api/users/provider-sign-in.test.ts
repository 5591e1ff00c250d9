import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SignInProvider } from "#operations/users/sign-in-provider";
import { readProviders } from "#app/sign-in-providers";
import { systemClock } from "#plumbing/clock";
import { apiFixture, type ApiFixture } from "../../support/api-fixture.ts";
import { OWN_PAGE, sessionIn } from "../../support/browser-session.ts";
import {
  CLIENT,
  type Counterpart,
  signedByStranger,
  startCounterpart,
  unsigned,
} from "../../support/sign-in/counterpart.ts";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

const ADA = { email: "ada@example.org", email_verified: true, groups: ["/atlas", "cms"] };
const ORIGIN = `http://${OWN_PAGE.host}`;
const SETTINGS: Readonly<Record<string, string>> = { admit: "automatic", who: "anyone", groups: "groups" };

describe("sign-in by a provider", () => {
  let api: ApiFixture;
  let cern: Counterpart;
  let folder: string;
  const logged: string[] = [];

  async function open(more: Readonly<Record<string, string>> = {}, others: readonly SignInProvider[] = []) {
    await api?.close();
    const providers = [...provider("cern", cern, more), ...others];
    api = await apiFixture({ parts: { signInProviders: providers } });
  }

  function provider(name: string, at: Counterpart, more: Readonly<Record<string, string>> = {}) {
    const values = {
      issuer: at.issuer,
      "client-id": CLIENT.id,
      "client-secret-file": path.join(folder, "secret"),
      title: name.toUpperCase(),
      ...SETTINGS,
      ...more,
    };
    const lines = Object.entries(values).map(([key, value]) => ({ provider: name, key, value }));
    const log = {
      warn: (details: unknown, message?: string) => logged.push(`${message} ${JSON.stringify(details)}`),
    };
    return readProviders({ signIn: lines })({ clock: systemClock, log });
  }

  beforeEach(async () => {
    logged.splice(0);
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-sign-in-"));
    await writeFile(path.join(folder, "secret"), `${CLIENT.secret}\n`);
    cern = await startCounterpart({ redirectUris: [`${ORIGIN}/sign-in/cern`] });
    cern.people.set("ada", ADA);
    await open();
  });

  afterEach(async () => {
    await api.close();
    await cern.close();
    await rm(folder, { recursive: true });
  });

  const post = (url: string, payload?: object, headers: Readonly<Record<string, string>> = {}) =>
    api.inject({
      method: "POST",
      url: `/api/session/providers/${url}`,
      headers: { ...OWN_PAGE, ...headers },
      ...(payload && { payload }),
    });

  async function begin(name = "cern") {
    const reply = await post(name);
    expect(reply.statusCode).toBe(201);
    return reply.json<{ url: string; attempt: string }>();
  }

  async function answerOf(login: string, { at = cern, name = "cern" } = {}) {
    const { url, attempt } = await begin(name);
    const back = new URL(await at.visit(url, login));
    expect(back.pathname).toBe(`/sign-in/${name}`);
    return { attempt, answer: back.search };
  }

  const signIn = async (login: string, where: { at?: Counterpart; name?: string } = {}) =>
    post(`${where.name ?? "cern"}/answer`, await answerOf(login, where));

  test("a person gets an account, groups and a token, and the next time the same account", async () => {
    const first = await signIn("ada");
    expect(first.statusCode).toBe(201);
    const { id_: id, email, admin, token } = first.json<Record<string, unknown>>();
    expect({ email, admin }).toEqual({ email: "ada@example.org", admin: false });
    const you = await api.inject({ url: "/api/session", headers: { ...OWN_PAGE, ...sessionIn(first) } });
    expect(you.json()).toMatchObject({ id_: id });
    const groups = await api.inject({
      url: "/api/groups",
      headers: { authorization: `Bearer ${String(token)}` },
    });
    expect(groups.json<{ name: string }[]>().map(({ name }) => name)).toEqual(["cern:atlas", "cern:cms"]);
    cern.people.set("ada", { ...ADA, groups: ["lhcb", "a b"] });
    const second = await signIn("ada");
    expect(second.json()).toMatchObject({ id_: id, token: null });
    const later = await api.inject({
      url: "/api/groups",
      headers: { authorization: `Bearer ${String(token)}` },
    });
    expect(later.json<{ name: string }[]>().map(({ name }) => name)).toEqual(["cern:lhcb"]);
  });

  test.each([
    [
      "without a signature",
      (the: Counterpart) =>
        void (the.forge = ({ header, claims }) => unsigned({ header: { ...header, alg: "none" }, claims })),
    ],
    ["with the signature of a stranger", (the: Counterpart) => void (the.forge = signedByStranger)],
    [
      "of another issuer",
      (the: Counterpart) =>
        void (the.forge = ({ header, claims }) =>
          the.signed({ header, claims: { ...claims, iss: "https://evil.example.org" } })),
    ],
    [
      "for another client",
      (the: Counterpart) =>
        void (the.forge = ({ header, claims }) =>
          the.signed({ header, claims: { ...claims, aud: "another" } })),
    ],
    [
      "that has expired",
      (the: Counterpart) =>
        void (the.forge = ({ header, claims }) =>
          the.signed({ header, claims: { ...claims, exp: Date.now() / 1000 - 120 } })),
    ],
    [
      "of another attempt",
      (the: Counterpart) =>
        void (the.forge = ({ header, claims }) =>
          the.signed({ header, claims: { ...claims, nonce: "another" } })),
    ],
    [
      "for another person",
      (the: Counterpart) =>
        void (the.forge = ({ header, claims }) => the.signed({ header, claims: { ...claims, sub: "eve" } })),
    ],
  ])("a token %s signs nobody in, and only the log has the details", async (_what, forge) => {
    forge(cern);
    const reply = await signIn("ada");
    expect(reply.statusCode).toBe(403);
    expect(reply.json<{ message: string }>().message).toBe(
      "CERN did not sign you in: its answer was not accepted. Begin again on the sign-in page. If it fails again, ask " +
        "the server's administrator: the log has the details.",
    );
    expect(logged.join()).toContain("the provider signed nobody in");
    expect(await users()).toEqual(["admin@localhost"]);
  });

  test("a token signed by the test as the provider does is accepted, also if the clocks differ by less than a minute", async () => {
    cern.forge = ({ header, claims }) => {
      const ago = Math.floor(Date.now() / 1000) - 30;
      return cern.signed({ header, claims: { ...claims, iat: ago + 60, exp: ago } });
    };
    expect((await signIn("ada")).statusCode).toBe(201);
  });

  async function users(): Promise<readonly string[]> {
    const reply = await api.inject({
      url: "/api/admin/users",
      headers: { authorization: `Bearer ${api.adminToken}` },
    });
    return reply.json<{ email: string }[]>().map(({ email }) => email);
  }

  test("an answer works once, for its own attempt and provider, and not after ten minutes", async () => {
    const one = await answerOf("ada");
    const other = await answerOf("ada");
    expect((await post("cern/answer", { attempt: other.attempt, answer: one.answer })).statusCode).toBe(403);
    expect((await post("cern/answer", { attempt: "forged", answer: one.answer })).statusCode).toBe(403);
    const state = new URLSearchParams(one.answer);
    state.set("state", "forged");
    expect((await post("cern/answer", { ...one, answer: `?${state.toString()}` })).statusCode).toBe(403);
    expect((await post("cern/answer", one)).statusCode).toBe(201);
    const again = await post("cern/answer", one);
    expect(again.statusCode).toBe(403);
    expect((await post("nowhere/answer", one)).statusCode).toBe(404);
    expect((await post("nowhere")).statusCode).toBe(404);
  });

  const messageOf = (reply: { json(): unknown }) => (reply.json() as { message: string }).message;

  test.each([
    ["who", { who: "groups: /lhcb" }, "this server admits only some of its people"],
    ["an unverified address", { who: "email: *@example.org" }, "this server admits only some of its people"],
    ["no verified address", {}, "gives no e-mail address for you that it has verified"],
  ])("a stranger by the rule about %s is refused, and no account is made", async (_rule, rules, sentence) => {
    await open(rules);
    cern.people.set("eve", { email: "eve@example.org", email_verified: false, groups: ["cms"] });
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
    const admin = { authorization: `Bearer ${api.adminToken}` };
    const accounts = await api.inject({ url: "/api/admin/users", headers: admin });
    expect(accounts.json()).toContainEqual(
      expect.objectContaining({ email: ADA.email, disabled: true, waiting: true }),
    );
    expect((await signIn("ada")).json()).toMatchObject({ code: "user-waiting" });
    await api.inject({ method: "POST", url: `/api/admin/users/${ADA.email}/enable`, headers: admin });
    expect((await signIn("ada")).json()).toMatchObject({ token: expect.any(String) });
    await api.inject({ method: "POST", url: `/api/admin/users/${ADA.email}/disable`, headers: admin });
    expect((await signIn("ada")).json()).toMatchObject({ code: "user-disabled" });
  });

  test("a person whom the administrator refuses is disabled, and no longer waits", async () => {
    await open({ admit: "consent" });
    await signIn("ada");
    const headers = { authorization: `Bearer ${api.adminToken}` };
    const url = `/api/admin/users/${ADA.email}/disable`;
    expect((await api.inject({ method: "POST", url, headers })).json()).toMatchObject({ waiting: false });
    expect((await signIn("ada")).json()).toMatchObject({ code: "user-disabled" });
  });

  test("a claim makes an administrator and takes it back, but not from the last one, nor what a person gave", async () => {
    await open({ administrators: "groups: admins" });
    cern.people.set("ada", { ...ADA, groups: ["admins"] });
    expect((await signIn("ada")).json()).toMatchObject({ admin: true });
    cern.people.set("ada", ADA);
    expect((await signIn("ada")).json()).toMatchObject({ admin: false });
    const headers = { authorization: `Bearer ${api.adminToken}` };
    await api.inject({ method: "PUT", url: `/api/admin/users/${ADA.email}/admin`, headers });
    expect((await signIn("ada")).json()).toMatchObject({ admin: true });
    cern.people.set("bob", { ...ADA, email: "bob@example.org", groups: ["admins"] });
    expect((await signIn("bob")).json()).toMatchObject({ admin: true });
    await api.inject({ method: "DELETE", url: `/api/admin/users/${ADA.email}/admin`, headers });
    await api.inject({ method: "DELETE", url: "/api/admin/users/admin@localhost/admin", headers });
    cern.people.set("bob", { ...ADA, email: "bob@example.org", groups: [] });
    expect((await signIn("bob")).json()).toMatchObject({ admin: true });
    expect(logged.join()).toContain("the last administrator stays");
  });

  test("the subject counts: a changed address follows, unless another user has it", async () => {
    const first = await signIn("ada");
    cern.people.set("ada", { ...ADA, email: "ada@new.example.org" });
    expect((await signIn("ada")).json()).toMatchObject({
      id_: first.json<{ id_: string }>().id_,
      email: "ada@new.example.org",
    });
    await api.makeUser("taken@example.org");
    cern.people.set("ada", { ...ADA, email: "taken@example.org" });
    expect((await signIn("ada")).json()).toMatchObject({ email: "ada@new.example.org" });
    cern.people.set("ada", { ...ADA, email: "ada@third.example.org" });
    expect((await signIn("ada")).json()).toMatchObject({ email: "ada@third.example.org" });
    cern.people.set("eve", { ...ADA, email: "ada@third.example.org" });
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
    const own = await api.inject({ url: "/api/session/providers", headers: session });
    expect(own.json()).toEqual([
      { name: "cern", title: "CERN", added: true },
      { name: "eosc", title: "EOSC", added: true },
    ]);
    await eosc.close();
  });

  test("an invited user, and a user with a token, keep their way in and can add a provider", async () => {
    const { token } = await api.makeUser(ADA.email);
    const refused = await signIn("ada");
    expect(messageOf(refused)).toContain("Sign in with a code or an access token, then add CERN");
    const opened = await openSession(token);
    expect(opened.statusCode).toBe(201);
    const session = sessionIn(opened);
    const begun = (await post("cern/add", undefined, session)).json<{ url: string; attempt: string }>();
    const answer = new URL(await cern.visit(begun.url, "ada")).search;
    expect((await post("cern/answer", { attempt: begun.attempt, answer })).statusCode).toBe(201);
    expect((await signIn("ada")).json()).toMatchObject({ id_: opened.json<{ id_: string }>().id_ });
  });

  const openSession = (token: string) =>
    api.inject({ method: "POST", url: "/api/session", headers: OWN_PAGE, payload: { token } });

  test("a user cannot add a provider that is unknown or away", async () => {
    const { token } = await api.makeUser("bob@example.org");
    const add = async (name: string) => post(`${name}/add`, undefined, sessionIn(await openSession(token)));
    expect((await add("none")).statusCode).toBe(404);
    cern.isAway = true;
    expect((await add("cern")).statusCode).toBe(503);
  });

  test.each([
    [415, "multipart/form-data; boundary=b", "--b--"],
    [413, "application/json", `"${"a".repeat(1024 * 1024)}"`],
  ])("an answer is refused with %i if its body is %s", async (status, type, payload) => {
    const headers = { ...OWN_PAGE, "content-type": type };
    const url = "/api/session/providers/cern/answer";
    expect((await api.inject({ method: "POST", url, headers, payload })).statusCode).toBe(status);
  });

  test("while the provider is away nobody new signs in, and a signed-in person stays", async () => {
    const first = await signIn("ada");
    const attempt = await answerOf("ada");
    cern.isAway = true;
    for (const reply of [await post("cern/answer", attempt), await afterDescription()]) {
      expect(reply.statusCode).toBe(503);
      expect(messageOf(reply)).toBe(
        "CERN does not respond, so it can sign nobody in now. Browsers and programs that are signed in stay signed in. " +
          "Try again in a few minutes.",
      );
    }
    const you = await api.inject({ url: "/api/session", headers: { ...OWN_PAGE, ...sessionIn(first) } });
    expect(you.statusCode).toBe(200);
  });

  /** Begins a sign-in at a server that has not read the provider's description yet. */
  async function afterDescription() {
    const before = api;
    const [session] = provider("cern", cern);
    api = await apiFixture({ parts: { signInProviders: [session!] } });
    const reply = await post("cern");
    await api.close();
    api = before;
    return reply;
  }

  test("keys that the provider has replaced are read again", async () => {
    expect((await signIn("ada")).statusCode).toBe(201);
    cern.rollKeys();
    expect((await signIn("ada")).statusCode).toBe(201);
  });

  test("nobody begins a sign-in from another page, and people who refuse are named the reason", async () => {
    const foreign = await api.inject({
      method: "POST",
      url: "/api/session/providers/cern",
      headers: { host: OWN_PAGE.host, "sec-fetch-site": "same-site" },
    });
    expect(foreign.statusCode).toBe(403);
    const { url, attempt } = await begin();
    const state = new URL(url).searchParams.get("state")!;
    const iss = encodeURIComponent(cern.issuer);
    const denied = `?error=access_denied&state=${state}&iss=${iss}`;
    const reply = await post("cern/answer", { attempt, answer: denied });
    expect(messageOf(reply)).toContain("CERN did not sign you in (access_denied).");
    const evil = `?error=access_denied&state=${state}&iss=https%3A%2F%2Fevil.example.org`;
    expect(messageOf(await post("cern/answer", { attempt, answer: evil }))).toContain("was not accepted");
  });

  test("the members of a provider's group are changed at the provider alone", async () => {
    await signIn("ada");
    await api.makeUser("bob@example.org");
    const headers = { authorization: `Bearer ${api.adminToken}` };
    const url = `/api/groups/${encodeURIComponent("cern:atlas")}/members`;
    for (const request of [
      { method: "PUT", url: `${url}/bob@example.org`, headers },
      { method: "DELETE", url: `${url}/${ADA.email}`, headers },
    ] as const) {
      const reply = await api.inject(request);
      expect(reply.statusCode).toBe(403);
      expect(messageOf(reply)).toContain("they come from a provider of sign-in");
    }
  });

  test("a deleted account does not come back with the address, but by an invitation", async () => {
    await signIn("ada");
    const headers = { authorization: `Bearer ${api.adminToken}` };
    await api.inject({ method: "DELETE", url: `/api/admin/users/${ADA.email}`, headers });
    const reply = await signIn("ada");
    expect(reply.statusCode).toBe(409);
    expect(messageOf(reply)).toContain("ask the server's administrator for an invitation");
  });
});
