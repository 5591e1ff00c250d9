import { randomUUID } from "node:crypto";
import { CLIENT, type Counterpart } from "../support/sign-in/counterpart.ts";
import type { Story } from "./crash-stories.ts";
import { addKey, type WitnessedKey } from "./keys.ts";
import type { Witness } from "./witness.ts";

/** Files in the data folder of a server with a provider of sign-in. */
export function providerFiles(dataFolder: string, { issuer }: Counterpart): Readonly<Record<string, string>> {
  const settings = `[sign-in cern]
issuer = ${issuer}
client-id = ${CLIENT.id}
client-secret-file = ${dataFolder}/cern.secret
who = anyone
accounts = consent
recheck = 1
groups = groups
`;
  return { "cern.secret": CLIENT.secret, "reprise.conf": settings };
}

const OWN_PAGE = { "sec-fetch-site": "same-origin" };
const EVENTS = { "http://schemas.openid.net/event/backchannel-logout": {} };

interface Browser {
  readonly key: WitnessedKey;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * People who sign in by a provider: with the consent of an administrator, into an account that existed before, and on a
 * device. A person removes the provider, a person signs out there, and two people are due for a check, of whom one has
 * left. The next server makes the check when it starts.
 */
export const providers: Story = async ({ witness, withDatabase }, outside) => {
  const cern = outside.cern!;
  cern.sendBackTo(`${witness.url}/sign-in/cern`);
  const [ada, eve, flo] = [newPerson(cern, "ada"), newPerson(cern, "eve"), newPerson(cern, "flo")];
  for (const login of [ada, eve, flo]) {
    await answer(witness, cern, login, 403);
    await witness.expect(200, "POST", `admin/users/${emailOf(login)}/enable`);
  }
  await signInOnDevice(witness, cern, ada);
  const [browser, left] = [await signIn(witness, cern, ada), await signIn(witness, cern, flo)];
  await signIn(witness, cern, eve);
  await addProvider(witness, cern);
  cern.gone.add(flo);
  left.key.isOpen = "unknown";
  await withDatabase((db) =>
    db
      .updateTable("identities")
      .set({ checked_at: 0 })
      .where("subject", "in", [eve, flo])
      .where("sealed", "is not", null)
      .execute(),
  );
  await signOutThere(witness, cern, { login: ada, browser });
};

function newPerson(cern: Counterpart, name: string): string {
  const login = `${name}-${randomUUID()}`;
  cern.people.set(login, { email: emailOf(login), email_verified: true, groups: ["physics"] });
  return login;
}

function emailOf(login: string): string {
  return `${login}@example.org`;
}

/** Sends the answer of the provider about a person to the server. */
async function answer(witness: Witness, cern: Counterpart, login: string, status: 201 | 403) {
  const headers = OWN_PAGE;
  const begun = await witness.expect(201, "POST", "session/providers/cern", { token: "", headers });
  const back = new URL(await cern.visit(String(begun["url"]), login));
  const body = JSON.stringify({ attempt: begun["attempt"], answer: back.search });
  const reply = await witness.ask("POST", "session/providers/cern/answer", { token: "", headers, body });
  if (reply.status !== status)
    throw new Error(`${login} got ${reply.status} and not ${status}: ${JSON.stringify(reply.body)}`);
  return reply;
}

async function signIn(witness: Witness, cern: Counterpart, login: string): Promise<Browser> {
  const reply = await answer(witness, cern, login, 201);
  const cookie = reply.cookie.split(";", 1)[0]!;
  const headers = { ...OWN_PAGE, cookie, "reprise-page-key": String(reply.body["page_key"]) };
  return { key: addKey(witness, cookie.split("=")[1]!), headers };
}

async function signInOnDevice(witness: Witness, cern: Counterpart, login: string): Promise<void> {
  const begun = await witness.expect(201, "POST", "session/providers/cern/device", { token: "" });
  await cern.enterCode(String(begun["url_with_code"]), login);
  const body = JSON.stringify({ attempt: begun["attempt"], name: "laptop" });
  const issued = await witness.expect(201, "POST", "session/providers/cern/device/answer", {
    token: "",
    body,
  });
  // The provider ends the token together with the sessions.
  addKey(witness, String(issued["token"])).isOpen = "unknown";
}

/** Opens an account that existed before by the provider, and removes the provider again. */
async function addProvider(witness: Witness, cern: Counterpart): Promise<void> {
  const { email } = await witness.createUser("known");
  const login = newPerson(cern, "known");
  cern.people.set(login, { email, email_verified: true });
  await answer(witness, cern, login, 403);
  await witness.expect(200, "PUT", `admin/users/${email}/provider`);
  const [kept, other] = [await signIn(witness, cern, login), await signIn(witness, cern, login)];
  other.key.isOpen = "unknown";
  await witness.expect(200, "DELETE", "session/providers/cern", { token: "", headers: kept.headers });
  other.key.isOpen = false;
}

/** Signs a person out at the provider, which sends a logout token. */
async function signOutThere(
  witness: Witness,
  cern: Counterpart,
  { login, browser }: { readonly login: string; readonly browser: Browser },
): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const times = { iat: now, exp: now + 120, jti: randomUUID() };
  const claims = { iss: cern.issuer, aud: CLIENT.id, sub: login, events: EVENTS, ...times };
  const token = cern.signed({ header: { alg: "RS256", typ: "logout+jwt" }, claims });
  browser.key.isOpen = "unknown";
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams({ logout_token: token }).toString();
  await witness.expect(200, "POST", "session/providers/cern/logout", { token: "", headers, body });
  browser.key.isOpen = false;
}
