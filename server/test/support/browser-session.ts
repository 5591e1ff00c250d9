import { createHash } from "node:crypto";
import { expect } from "vitest";
import { signatureOf } from "#operations/users/page-proof";
import type { ApiFixture } from "./api-fixture.ts";

/** Headers of a signed-in browser: the cookie, and the key that the page adds. */
export interface BrowserSession extends Record<string, string> {
  readonly cookie: string;
  readonly "reprise-page-key": string;
}

/** A request from the server's own page. */
export const OWN_PAGE = { host: "localhost:7070", "sec-fetch-site": "same-origin" };

/** Signs a browser in with the token of its user. */
export async function newBrowserSession(api: ApiFixture, token: string): Promise<BrowserSession> {
  const reply = await api.inject({
    method: "POST",
    url: "/api/session",
    headers: OWN_PAGE,
    payload: { token },
  });
  expect(reply.statusCode).toBe(201);
  return sessionIn(reply);
}

interface Reply {
  readonly headers: Readonly<Record<string, unknown>>;
  json(): unknown;
}

/** Returns the session opened by a reply. */
export function sessionIn(reply: Reply): BrowserSession {
  const { page_key: key } = reply.json() as { page_key: string };
  return { cookie: String(reply.headers["set-cookie"]).split(";", 1)[0]!, "reprise-page-key": key };
}

/** Signs an address like the page does. */
export function signed(address: string, session: BrowserSession, expiresAtMs = Date.now() + 60_000): string {
  const keyHash = createHash("sha256").update(session["reprise-page-key"]).digest("hex");
  const query = `page_expires=${Math.floor(expiresAtMs / 1000)}`;
  const whole = `${address}${address.includes("?") ? "&" : "?"}${query}`;
  return `${whole}&page_signature=${signatureOf(whole, keyHash)}`;
}
