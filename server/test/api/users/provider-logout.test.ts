import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";
import { type BrowserSession, OWN_PAGE, sessionIn } from "../../support/browser-session.ts";
import {
  CLIENT,
  signedByStranger,
  startCounterpart,
  type Token,
  unsigned,
} from "../../support/sign-in/counterpart.ts";
import { ADA, messageOf, ORIGIN, signInFixture } from "../../support/sign-in/sign-in-fixture.ts";

const EVENTS = { "http://schemas.openid.net/event/backchannel-logout": {} };
const FORM = { "content-type": "application/x-www-form-urlencoded" };

describe("back-channel logout", () => {
  const { the, logged, provider, open, post, signIn } = signInFixture();

  const logOut = (token: string, name = "cern") =>
    the.api.inject({
      method: "POST",
      url: `/api/session/providers/${name}/logout`,
      headers: FORM,
      payload: new URLSearchParams({ logout_token: token }).toString(),
    });

  const tokenWith = (claims: object = {}, header: object = {}): Token => {
    const now = Math.floor(Date.now() / 1000);
    const own = { iss: the.cern.issuer, aud: CLIENT.id, iat: now, exp: now + 120, jti: "one" };
    return {
      header: { alg: "RS256", typ: "logout+jwt", ...header },
      claims: { ...own, sub: "ada", events: EVENTS, ...claims },
    };
  };

  async function isOpen(session: BrowserSession): Promise<boolean> {
    const reply = await the.api.inject({ url: "/api/session", headers: { ...OWN_PAGE, ...session } });
    return reply.statusCode === 200;
  }

  /** Passes a logout token of the real provider on. */
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = "/api/session/providers/cern/logout";
    const payload = await text(request);
    const reply = await the.api.inject({ method: "POST", url, headers: FORM, payload });
    response.writeHead(reply.statusCode).end(reply.body);
  }

  test("a person who signs out at the real provider is signed out here, in that browser alone", async () => {
    const receiver = createServer((request, response) => void receive(request, response)).listen(
      0,
      "127.0.0.1",
    );
    await once(receiver, "listening");
    await the.cern.close();
    the.cern = await startCounterpart({
      redirectUris: [`${ORIGIN}/sign-in/cern`],
      logoutUri: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    });
    the.cern.people.set("ada", ADA);
    await open();
    const [before, last] = [sessionIn(await signIn("ada")), sessionIn(await signIn("ada"))];
    await the.cern.signOut("ada");
    await expect.poll(() => isOpen(last)).toBe(false);
    expect(await isOpen(before)).toBe(true);
    receiver.close();
  });

  test("a token that names the person ends every session of the person there, and no token", async () => {
    const first = await signIn("ada");
    const { token } = first.json<{ token: string }>();
    const sessions = [first, await signIn("ada")].map(sessionIn);
    the.cern.people.set("bob", { ...ADA, email: "bob@example.org" });
    const ofBob = sessionIn(await signIn("bob"));
    const reply = await logOut(the.cern.signed(tokenWith()));
    expect([reply.statusCode, reply.json(), reply.headers["cache-control"]]).toEqual([
      200,
      { ended: 2 },
      "no-store",
    ]);
    expect(await Promise.all([...sessions, ofBob].map(isOpen))).toEqual([false, false, true]);
    const you = await the.api.inject({ url: "/api/you", headers: { authorization: `Bearer ${token}` } });
    expect(you.statusCode).toBe(200);
  });

  test("a token that is sent again leaves later sessions open", async () => {
    const sent = the.cern.signed(tokenWith({ iat: Math.floor(Date.now() / 1000) - 61 }));
    expect((await logOut(sent)).json()).toEqual({ ended: 0 });
    const session = sessionIn(await signIn("ada"));
    expect((await logOut(sent)).json()).toEqual({ ended: 0 });
    expect(await isOpen(session)).toBe(true);
  });

  test.each<readonly [string, object]>([
    ["of another issuer", { iss: "https://evil.example.org" }],
    ["for another client", { aud: "another" }],
    ["that has expired", { exp: Math.floor(Date.now() / 1000) - 120 }],
    [
      "of the future",
      { iat: Math.floor(Date.now() / 1000) + 3600, exp: Math.floor(Date.now() / 1000) + 3700 },
    ],
    ["without a time", { iat: undefined }],
    ["without an id", { jti: undefined }],
    ["without the event", { events: { other: {} } }],
    ["with a broken event", { events: { [Object.keys(EVENTS)[0]!]: true } }],
    ["with a nonce, as an ID token has", { nonce: "n" }],
    ["that names nobody", { sub: undefined }],
  ])("a token %s ends no session, and only the log says why", async (_what, claims) => {
    const session = sessionIn(await signIn("ada"));
    const reply = await logOut(the.cern.signed(tokenWith(claims)));
    expect([reply.statusCode, messageOf(reply)]).toEqual([
      400,
      "The logout token of CERN was not accepted, so nobody was signed out. The log of this server has the details.",
    ]);
    expect(logged).toHaveLength(1);
    expect(await isOpen(session)).toBe(true);
  });

  test("a token without the provider's signature ends no session", async () => {
    const session = sessionIn(await signIn("ada"));
    const { kid } = JSON.parse(
      Buffer.from(the.cern.signed(tokenWith()).split(".")[0]!, "base64url").toString(),
    ) as { kid: string };
    const forged = [
      unsigned(tokenWith({}, { alg: "none" })),
      signedByStranger(tokenWith({}, { kid })),
      signedByStranger(tokenWith({}, { kid: "unknown" })),
      "no token",
    ];
    for (const token of forged) expect([token, (await logOut(token)).statusCode]).toEqual([token, 400]);
    expect(await isOpen(session)).toBe(true);
  });

  test("a provider ends only its own sessions", async () => {
    const eosc = await startCounterpart({ redirectUris: [`${ORIGIN}/sign-in/eosc`] });
    await open({}, provider("eosc", eosc));
    const session = sessionIn(await signIn("ada"));
    const own = eosc.signed(tokenWith({ iss: eosc.issuer }));
    expect((await logOut(own, "eosc")).json()).toEqual({ ended: 0 });
    expect((await logOut(own)).statusCode).toBe(400);
    expect((await logOut(own, "nowhere")).statusCode).toBe(404);
    expect(await isOpen(session)).toBe(true);
    await eosc.close();
  });

  test("keys that the provider has replaced are read again", async () => {
    await signIn("ada");
    expect((await logOut(the.cern.signed(tokenWith()))).json()).toEqual({ ended: 1 });
    the.cern.rollKeys();
    await signIn("ada");
    const ended = async () => (await logOut(the.cern.signed(tokenWith()))).json();
    await expect.poll(ended).toEqual({ ended: 1 });
  });

  test("while the provider is away its keys cannot be read, so it is asked to send the token again", async () => {
    const token = the.cern.signed(tokenWith());
    const before = the.api;
    the.api = await apiFixture({ parts: { signInProviders: [...provider("cern", the.cern)] } });
    the.cern.isAway = true;
    expect((await logOut(token)).statusCode).toBe(503);
    await the.api.close();
    the.api = before;
  });

  test.each([
    [400, "application/json", ""],
    [400, "application/json", "{}"],
    [415, "multipart/form-data; boundary=b", "--b--"],
    [413, "application/json", `"${"a".repeat(1024 * 1024)}"`],
  ])("a body is refused with %i if it is %s %s", async (status, type, payload) => {
    const url = "/api/session/providers/cern/logout";
    const headers = { "content-type": type };
    expect((await the.api.inject({ method: "POST", url, headers, payload })).statusCode).toBe(status);
    expect((await post("cern/logout", { logout_token: "x" })).statusCode).toBe(400);
  });
});
