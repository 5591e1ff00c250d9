import { describe, expect, test } from "vitest";
import { startCounterpart } from "../../support/sign-in/counterpart.ts";
import { ADA, messageOf, signInFixture } from "../../support/sign-in/sign-in-fixture.ts";

interface Begun {
  readonly user_code: string;
  readonly url: string;
  readonly url_with_code: string;
  readonly attempt: string;
}

describe("the sign-in of a device by a provider", () => {
  const { the, open, provider, post, signIn, users } = signInFixture();

  async function begin(name = "cern"): Promise<Begun> {
    const reply = await post(`${name}/device`);
    expect(reply.statusCode).toBe(201);
    return reply.json();
  }

  const ask = ({ attempt }: Pick<Begun, "attempt">, name = "cern") =>
    post(`${name}/device/answer`, { attempt, name: "login on laptop" });

  async function tokensOf(token: string) {
    const headers = { authorization: `Bearer ${token}` };
    return the.api.inject({ url: "/api/tokens", headers });
  }

  test("a person enters the code, and the device gets a token with a name and an end, once", async () => {
    const begun = await begin();
    expect(begun).toMatchObject({
      url: `${the.cern.issuer}/device`,
      url_with_code: `${the.cern.issuer}/device?user_code=${begun.user_code}`,
      interval_seconds: 5,
      expires_in_seconds: 600,
    });
    expect((await ask(begun)).statusCode).toBe(202);
    await the.cern.enterCode(begun.url_with_code, "ada");
    const issued = await ask(begun);
    expect([issued.statusCode, issued.json()]).toEqual([
      201,
      { id_: expect.any(String), email: ADA.email, token: expect.any(String), expires: expect.any(String) },
    ]);
    const listed = await tokensOf(issued.json<{ token: string }>().token);
    expect(listed.json()).toEqual([
      expect.objectContaining({ name: "login on laptop", scope: "everything", expires: expect.any(String) }),
    ]);
    const again = await ask(begun);
    expect([again.statusCode, messageOf(again)]).toEqual([
      403,
      "CERN does not know the code of this sign-in, or it was used already. Begin again to get another.",
    ]);
  });

  test("a device and a browser of one person have one account, and the groups of the claim", async () => {
    const { id_: id } = (await signIn("ada")).json<{ id_: string }>();
    const begun = await begin();
    await the.cern.enterCode(begun.url_with_code, "ada");
    const issued = (await ask(begun)).json<{ id_: string; token: string }>();
    expect(issued.id_).toBe(id);
    const headers = { authorization: `Bearer ${issued.token}` };
    const groups = (await the.api.inject({ url: "/api/groups", headers })).json<{ name: string }[]>();
    expect(groups.map(({ name }) => name)).toEqual(["cern:atlas", "cern:cms"]);
  });

  test("a declined code, an expired code and a client without the right are refused with a sentence", async () => {
    const declined = await begin();
    await the.cern.enterCode(declined.url_with_code, "ada", "decline");
    const refused = await ask(declined);
    expect([refused.statusCode, messageOf(refused)]).toEqual([
      403,
      "The sign-in was declined at CERN, so no token was made. Begin again to get another code.",
    ]);
    const begun = await begin();
    const sentences = [
      ["expired_token", "The code of CERN was not used in time"],
      ["unauthorized_client", "Its administrator must allow the device flow"],
      ["invalid_scope", "CERN did not sign you in (invalid_scope)"],
    ] as const;
    for (const [error, sentence] of sentences) {
      the.cern.deviceError = error;
      const reply = await ask(begun);
      expect([reply.statusCode, messageOf(reply)]).toEqual([403, expect.stringContaining(sentence)]);
    }
    the.cern.deviceError = "unauthorized_client";
    const notBegun = await post("cern/device");
    expect([notBegun.statusCode, messageOf(notBegun)]).toEqual([
      403,
      expect.stringContaining("Its administrator must allow the device flow"),
    ]);
    expect(await users()).toEqual(["admin@localhost"]);
  });

  test("a provider that is asked too often slows the device down", async () => {
    const begun = await begin();
    the.cern.deviceError = "slow_down";
    const reply = await ask(begun);
    expect([reply.statusCode, reply.json()]).toEqual([202, { slow_down: true }]);
  });

  test("a provider that is away or has no such sign-in is named, and the code stays good", async () => {
    const begun = await begin();
    the.cern.isAway = true;
    for (const reply of [await post("cern/device"), await ask(begun)])
      expect([reply.statusCode, messageOf(reply)]).toEqual([
        503,
        expect.stringContaining("CERN does not respond"),
      ]);
    the.cern.isAway = false;
    expect((await ask(begun)).statusCode).toBe(202);
    const old = await startCounterpart({ redirectUris: [], hasDevices: false });
    await open({}, provider("old", old));
    const refused = await post("old/device");
    expect([refused.statusCode, messageOf(refused)]).toEqual([
      501,
      expect.stringContaining("OLD signs in no devices without a browser."),
    ]);
    await old.close();
  });

  test("an attempt of another provider, of a browser or of nobody is refused", async () => {
    const begun = await begin();
    await open({}, provider("eosc", the.cern));
    const browser = (await post("cern")).json<{ attempt: string }>();
    for (const [attempt, name] of [
      [begun.attempt, "eosc"],
      [browser.attempt, "cern"],
      ["none", "cern"],
    ] as const) {
      const reply = await ask({ attempt }, name);
      expect([reply.statusCode, messageOf(reply)]).toEqual([403, expect.stringContaining("Begin again")]);
    }
    expect((await post("cern/device/answer")).statusCode).toBe(400);
  });

  test("the rules of the provider hold: a stranger is refused, and a new person waits for consent", async () => {
    await open({ admit: "consent" });
    const waiting = await begin();
    await the.cern.enterCode(waiting.url_with_code, "ada");
    expect((await ask(waiting)).json()).toMatchObject({ code: "user-waiting" });
    await open({ who: "groups: /lhcb" });
    const stranger = await begin();
    await the.cern.enterCode(stranger.url_with_code, "ada");
    expect(messageOf(await ask(stranger))).toContain("admits only some of its people");
  });

  test("an address of another account is refused", async () => {
    await the.api.makeUser(ADA.email);
    const begun = await begin();
    await the.cern.enterCode(begun.url_with_code, "ada");
    const reply = await ask(begun);
    expect([reply.statusCode, reply.json()]).toMatchObject([409, { code: "email-taken" }]);
  });

  test("the token ends with the provider", async () => {
    const begun = await begin();
    await the.cern.enterCode(begun.url_with_code, "ada");
    const { token } = (await ask(begun)).json<{ token: string }>();
    const other = await begin();
    await the.cern.enterCode(other.url_with_code, "ada");
    expect((await ask(other)).statusCode).toBe(201);
    expect((await tokensOf(token)).json()).toHaveLength(2);
    const at = the.cern.signed({
      header: { alg: "RS256", typ: "logout+jwt" },
      claims: {
        iss: the.cern.issuer,
        aud: "reprise",
        sub: "ada",
        jti: "1",
        iat: Math.floor(Date.now() / 1000),
        exp: Math.floor(Date.now() / 1000) + 60,
        events: { "http://schemas.openid.net/event/backchannel-logout": {} },
      },
    });
    const ended = await post("cern/logout", { logout_token: at });
    expect([ended.statusCode, ended.json()]).toEqual([200, { ended: 2 }]);
    expect((await tokensOf(token)).statusCode).toBe(403);
  });
});
