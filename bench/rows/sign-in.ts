import { writeFile } from "node:fs/promises";
import path from "node:path";
import { CLIENT, type Counterpart, startCounterpart } from "../../server/test/support/sign-in/counterpart.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { removeFolder, startReprise, temporaryFolder } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";
import { headersScript, wrk } from "../support/wrk.ts";

const OWN_PAGE = { "sec-fetch-site": "same-origin" };
const ADA = { email: "ada@example.org", email_verified: true };

/** Compares requests with a session that a provider opened to requests with the access token of the same user. */
export async function signIn(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const provider = await startCounterpart({ redirectUris: [] });
  provider.people.set("ada", ADA);
  await writeFile(path.join(folder, "secret"), CLIENT.secret);
  await writeFile(path.join(folder, "reprise.conf"), settings(folder, provider));
  const server = await startReprise(folder);
  provider.sendBackTo(`${server.url}/sign-in/cern`);
  const { session, token } = await signedIn(server.url, provider);
  const speed = async (name: string, headers: Readonly<Record<string, string>>) => {
    const script = await headersScript(path.join(folder, `${name}.lua`), headers);
    return async () => (await wrk(`${server.url}/api/workflows?page=1&size=20`, script)).requestsPerSecond;
  };
  const withToken = await speed("token", { authorization: `Bearer ${token}` });
  const withSession = await speed("session", session);
  const { ratio, detail } = await ratioInTurns(withToken, withSession);
  await server.stop();
  await provider.close();
  await removeFolder(folder);
  const what = "time of a request with a session of a provider";
  return [atMost(what, "with a token", ratio, 1.1, "×", `${detail} requests/s with the session`)];
}

function settings(folder: string, { issuer }: Counterpart): string {
  return `[sign-in cern]
issuer = ${issuer}
client-id = ${CLIENT.id}
client-secret-file = ${path.join(folder, "secret")}
who = anyone
admit = automatic
`;
}

/** Signs Ada in. Returns the headers of the browser, and the first token. */
async function signedIn(url: string, provider: Counterpart) {
  const post = async (route: string, body: object) => {
    const headers = { ...OWN_PAGE, "content-type": "application/json" };
    const address = `${url}/api/session/providers/${route}`;
    const reply = await fetch(address, { method: "POST", headers, body: JSON.stringify(body) });
    if (reply.status !== 201) throw new Error(`${route} answered ${reply.status}: ${await reply.text()}`);
    return reply;
  };
  const begun = (await (await post("cern", {})).json()) as { url: string; attempt: string };
  const back = new URL(await provider.visit(begun.url, "ada"));
  const reply = await post("cern/answer", { attempt: begun.attempt, answer: back.search });
  const cookie = reply.headers.getSetCookie()[0]!.split(";", 1)[0]!;
  const body = (await reply.json()) as { page_key: string; token: string };
  return { session: { ...OWN_PAGE, cookie, "reprise-page-key": body.page_key }, token: body.token };
}
