import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { readProviders } from "#app/sign-in-providers";
import type { SignInProvider } from "#operations/users/sign-in-provider";
import { type Clock, systemClock } from "#plumbing/clock";
import { apiFixture, type ApiFixture } from "../api-fixture.ts";
import { OWN_PAGE } from "../browser-session.ts";
import { CLIENT, type Counterpart, startCounterpart } from "./counterpart.ts";

export const ADA = { email: "ada@example.org", email_verified: true, groups: ["/atlas", "cms"] };
export const ORIGIN = `http://${OWN_PAGE.host}`;
const SETTINGS: Settings = { admit: "automatic", who: "anyone", groups: "groups" };

type Settings = Readonly<Record<string, string>>;

interface Where {
  readonly at?: Counterpart;
  readonly name?: string;
}

/** A server and a real provider, `cern`, at which Ada has an account. Both are new for each test. */
export function signInFixture() {
  const the = { api: undefined as unknown as ApiFixture, cern: undefined as unknown as Counterpart };
  const logged: string[] = [];
  let folder: string;

  /** Starts the server again, with more settings of the provider, with other providers, and with another clock. */
  async function open(
    more: Settings = {},
    others: readonly SignInProvider[] = [],
    clock?: Clock,
  ): Promise<void> {
    await the.api?.close();
    const providers = [...provider("cern", the.cern, more, clock), ...others];
    the.api = await apiFixture({ parts: { signInProviders: providers, ...(clock && { clock }) } });
  }

  function provider(
    name: string,
    at: Pick<Counterpart, "issuer">,
    more: Settings = {},
    clock = systemClock,
  ): readonly SignInProvider[] {
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
    return readProviders({ signIn: lines })({ clock, log });
  }

  beforeEach(async () => {
    logged.splice(0);
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-sign-in-"));
    await writeFile(path.join(folder, "secret"), `${CLIENT.secret}\n`);
    the.cern = await startCounterpart({ redirectUris: [`${ORIGIN}/sign-in/cern`] });
    the.cern.people.set("ada", ADA);
    await open();
  });

  afterEach(async () => {
    await the.api.close();
    await the.cern.close();
    await rm(folder, { recursive: true });
  });

  const post = (url: string, payload?: object, headers: Settings = {}) =>
    the.api.inject({
      method: "POST",
      url: `/api/session/providers/${url}`,
      headers: { ...OWN_PAGE, ...headers },
      ...(payload && { payload }),
    });

  async function begin(name = "cern"): Promise<{ readonly url: string; readonly attempt: string }> {
    const reply = await post(name);
    expect(reply.statusCode).toBe(201);
    return reply.json();
  }

  async function answerOf(login: string, { at = the.cern, name = "cern" }: Where = {}) {
    const { url, attempt } = await begin(name);
    const back = new URL(await at.visit(url, login));
    expect(back.pathname).toBe(`/sign-in/${name}`);
    return { attempt, answer: back.search };
  }

  const signIn = async (login: string, where: Where = {}) =>
    post(`${where.name ?? "cern"}/answer`, await answerOf(login, where));

  async function users(): Promise<readonly string[]> {
    const reply = await the.api.inject({
      url: "/api/admin/users",
      headers: { authorization: `Bearer ${the.api.adminToken}` },
    });
    return reply.json<{ email: string }[]>().map(({ email }) => email);
  }

  return { the, logged, open, provider, post, begin, answerOf, signIn, users };
}

export function messageOf(reply: { json(): unknown }): string {
  return (reply.json() as { message: string }).message;
}
