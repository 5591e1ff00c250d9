import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { systemClock } from "#plumbing/clock";
import { apiFixture } from "../support/api-fixture.ts";
import { ADA, signInFixture } from "../support/sign-in/sign-in-fixture.ts";

/** `reprise login` by a provider: a terminal without a browser, and a person at a browser elsewhere. */
const { the, open, provider } = signInFixture();
let folder: string;
let url: string | undefined;

beforeEach(async () => {
  url = undefined;
  folder = await mkdtemp(path.join(os.tmpdir(), "reprise-login-"));
});
afterEach(() => rm(folder, { recursive: true }));

interface Terminal {
  /** What the person does when the address is printed. */
  readonly person?: (address: string) => Promise<void>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly server?: string;
}

async function login({ person, environment, server }: Terminal, ...args: readonly string[]) {
  const pauses: number[] = [];
  let elapsedMs = 0;
  const cli = fakeCli({
    environment: { REPRISE_SERVER: server ?? (url ??= await the.api.listen()), ...environment },
    clock: {
      ...systemClock,
      elapsedMs: () => elapsedMs,
      after(ms, callback) {
        if (ms === 15_000) return () => undefined;
        elapsedMs += ms;
        if (ms >= 5000) pauses.push(ms / 1000);
        const address = cli.errors.find((line) => line.startsWith("  "))?.trim();
        void (address === undefined ? undefined : person?.(address))?.then(callback);
        return person ? () => undefined : systemClock.after(0, callback);
      },
    },
  });
  const code = await runCli(["login", ...args], cli);
  return { code, printed: cli.printed, errors: cli.errors, pauses };
}

const enters = (address: string) => the.cern.enterCode(address, "ada");

test("a person without a token enters the code, and the token is printed alone", async () => {
  const { code, printed, errors } = await login({ person: enters });
  expect({ code, errors }).toEqual({
    code: 0,
    errors: [
      "Open this address in a browser on any machine, and sign in with CERN:",
      expect.stringContaining(`  ${the.cern.issuer}/device?user_code=`),
      expect.stringMatching(/^The code is [A-Z-]+\. It is good for 10 minutes; waiting …$/),
      expect.stringMatching(/^You are ada@example\.org\. The token is valid until \d{4}-\d\d-\d\d\.$/),
    ],
  });
  const headers = { authorization: `Bearer ${printed[0]}` };
  expect((await the.api.inject({ url: "/api/you", headers })).json()).toMatchObject({ email: ADA.email });
});

test("the token is written into a file that only its owner can read", async () => {
  const file = path.join(folder, "token");
  const { code, printed } = await login({ person: enters }, "--save", file, "--json");
  expect([code, JSON.parse(printed[0]!)]).toEqual([
    0,
    { email: ADA.email, expires: expect.any(String), file },
  ]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const headers = { authorization: `Bearer ${(await readFile(file, "utf8")).trim()}` };
  expect((await the.api.inject({ url: "/api/you", headers })).statusCode).toBe(200);
});

test("a person who declines, and a code that nobody enters, end with a sentence", async () => {
  const declined = await login({ person: (address) => the.cern.enterCode(address, "ada", "decline") });
  expect([declined.code, declined.errors.at(-1)]).toEqual([
    1,
    "The sign-in was declined at CERN, so no token was made. Begin again to get another code.",
  ]);
  const late = await login({});
  expect([late.code, late.errors.at(-1), late.pauses.length]).toEqual([
    1,
    "Nobody entered the code at CERN in time, so no token was made. Run `reprise login` again for another.",
    120,
  ]);
});

test("the pauses grow if the provider answers slow_down", async () => {
  let asked = 0;
  const person = async (address: string) => {
    asked += 1;
    the.cern.deviceError = asked === 1 ? "slow_down" : undefined;
    if (asked === 2) await enters(address);
  };
  expect(await login({ person })).toMatchObject({ code: 0, pauses: [5, 10] });
});

test("a provider that is away is asked again until it is back", async () => {
  let asked = 0;
  const person = async (address: string) => {
    asked += 1;
    the.cern.isAway = asked < 12;
    if (asked === 12) await enters(address);
  };
  const { code, errors } = await login({ person });
  expect([code, errors.filter((line) => line.includes("CERN does not respond"))]).toEqual([
    0,
    [expect.stringMatching(/Still waiting …$/)],
  ]);
});

test("several providers: one must be chosen; none: the way with a token is named", async () => {
  await open({}, provider("eosc", the.cern));
  expect(await login({})).toMatchObject({
    code: 2,
    errors: ["Choose a provider with --provider: cern, eosc."],
  });
  expect((await login({}, "--provider", "gitlab")).errors[0]).toContain("It has cern, eosc.");
  expect((await login({ person: enters }, "--provider", "cern")).code).toBe(0);
  const without = await apiFixture();
  const { code, errors } = await login({ server: await without.listen() });
  expect([code, errors[0]]).toEqual([1, expect.stringContaining("has no provider of sign-in. Put a token")]);
  await without.close();
});

test("a person with a token still gets an address for a browser, unless a provider is named", async () => {
  const environment = { REPRISE_TOKEN: the.api.adminToken };
  expect((await login({ environment })).printed[0]).toContain("/sign-in#");
  expect((await login({ environment, person: enters }, "--provider", "cern")).printed[0]).not.toContain("/");
});
