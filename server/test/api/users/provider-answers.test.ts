import { describe, expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { OWN_PAGE, sessionIn } from "../../support/browser-session.ts";
import { type Counterpart, signedByStranger, unsigned } from "../../support/sign-in/counterpart.ts";
import { ADA, messageOf, signInFixture } from "../../support/sign-in/sign-in-fixture.ts";

describe("the answer of a provider", () => {
  const { the, logged, open, post, answerOf, signIn, users } = signInFixture();

  test.each([
    [
      "without a signature",
      (at: Counterpart) =>
        void (at.forge = ({ header, claims }) => unsigned({ header: { ...header, alg: "none" }, claims })),
    ],
    ["with the signature of a stranger", (at: Counterpart) => void (at.forge = signedByStranger)],
    [
      "of another issuer",
      (at: Counterpart) =>
        void (at.forge = ({ header, claims }) =>
          at.signed({ header, claims: { ...claims, iss: "https://evil.example.org" } })),
    ],
    [
      "for another client",
      (at: Counterpart) =>
        void (at.forge = ({ header, claims }) =>
          at.signed({ header, claims: { ...claims, aud: "another" } })),
    ],
    [
      "that has expired",
      (at: Counterpart) =>
        void (at.forge = ({ header, claims }) =>
          at.signed({ header, claims: { ...claims, exp: Date.now() / 1000 - 120 } })),
    ],
    [
      "of another attempt",
      (at: Counterpart) =>
        void (at.forge = ({ header, claims }) =>
          at.signed({ header, claims: { ...claims, nonce: "another" } })),
    ],
    [
      "for another person",
      (at: Counterpart) =>
        void (at.forge = ({ header, claims }) => at.signed({ header, claims: { ...claims, sub: "eve" } })),
    ],
  ])("a token %s signs nobody in, and only the log has the details", async (_what, forge) => {
    forge(the.cern);
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
    the.cern.forge = ({ header, claims }) => {
      const ago = Math.floor(Date.now() / 1000) - 30;
      return the.cern.signed({ header, claims: { ...claims, iat: ago + 60, exp: ago } });
    };
    expect((await signIn("ada")).statusCode).toBe(201);
  });

  test("a provider that calls itself by another issuer signs nobody in, and only the log has the details", async () => {
    await open({ issuer: the.cern.issuer.replace("127.0.0.1", "localhost") });
    const reply = await post("cern");
    expect([reply.statusCode, messageOf(reply)]).toEqual([
      403,
      expect.stringMatching(/^CERN did not sign you in: its answer was not accepted\. /),
    ]);
    expect(logged.join()).toMatch(/issuer/);
  });

  // The tokens of the provider are good for ten minutes.
  test.each([
    [-3600, 201],
    [-30, 201],
    [300, 201],
    [630, 201],
    [700, 403],
  ])("a server whose clock is %i s ahead of the provider's answers %i", async (seconds, status) => {
    await open({}, [], { ...systemClock, now: () => systemClock.now() + seconds * 1000 });
    const reply = await signIn("ada");
    expect([reply.statusCode, reply.json()]).toEqual([status, expect.any(Object)]);
    if (status === 403) return expect(logged.join()).toContain("the provider signed nobody in");
    const session = { headers: { ...OWN_PAGE, ...sessionIn(reply) }, url: "/api/session" };
    expect((await the.api.inject(session)).statusCode).toBe(200);
  });

  test("a code or an issuer from another sign-in does not fit an attempt", async () => {
    the.cern.people.set("eve", { ...ADA, email: "eve@example.org" });
    const [ada, eve] = [await answerOf("ada"), await answerOf("eve")];
    const [stolen, own] = [ada, eve].map(({ answer }) => new URLSearchParams(answer));
    const mixed = (name: string, value: string) => {
      const answer = new URLSearchParams(own);
      answer.set(name, value);
      return post("cern/answer", { attempt: eve.attempt, answer: `?${answer.toString()}` });
    };
    for (const [name, value] of [
      ["code", stolen!.get("code")!],
      ["code", "guessed"],
      ["iss", "https://evil.example.org"],
    ] as const) {
      expect([name, value, (await mixed(name, value)).statusCode]).toEqual([name, value, 403]);
    }
    expect(await users()).toEqual(["admin@localhost"]);
  });

  test("an attempt is no other text that the server has encrypted, and ends after ten minutes", async () => {
    const { attempt, answer } = await answerOf("ada");
    const { tokenSeal } = the.api.operations;
    const kept = JSON.parse(tokenSeal.open(attempt)) as Record<string, unknown>;
    const sent = (changes: object) =>
      post("cern/answer", { attempt: tokenSeal.seal(JSON.stringify({ ...kept, ...changes })), answer });
    for (const changes of [{ purpose: "another" }, { provider: "eosc" }, { expiresAtMs: Date.now() }]) {
      const reply = await sent(changes);
      expect([changes, reply.statusCode]).toEqual([changes, 403]);
      expect(messageOf(reply)).toContain("is older than ten minutes, or began elsewhere");
    }
    expect((await post("cern/answer", { attempt: tokenSeal.seal("a token"), answer })).statusCode).toBe(403);
    const tenMinutes = Number(kept["expiresAtMs"]) - Date.now();
    expect(tenMinutes).toBeGreaterThan(9 * 60_000);
    expect(tenMinutes).toBeLessThanOrEqual(10 * 60_000);
    expect((await sent({})).statusCode).toBe(201);
  });

  test("an answer works once, for its own attempt and provider", async () => {
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
});
