import { once } from "node:events";
import type { IncomingMessage, RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "#backends/free-port-fixture";
import { standInForJupyter } from "../notebooks/stand-in.ts";
import { hasOpenssl, makeCertificate, NEEDS_OPENSSL } from "../support/certificate.ts";
import {
  ADMIN_TOKEN,
  client,
  type RealServer,
  startRealServer,
  temporaryFolder,
} from "../support/real-server.ts";
import { maybeMissing, PROXIES, startProxy } from "./proxies.ts";

/** A server on loopback behind each proxy of the guide, with the guide's configuration. */
const PAGE = "reprise.example.org";
const NOTEBOOKS = "notebooks.example.org";
/** More bytes than nginx accepts by default. */
const UPLOAD_BYTES = 5 << 20;

let folder: string;
let remove: () => Promise<void>;
let server: RealServer;
let notebookPort: number;
let certificate: ReturnType<typeof makeCertificate>;

beforeAll(async () => {
  if (!hasOpenssl()) return;
  ({ folder, remove } = await temporaryFolder());
  certificate = makeCertificate(folder);
  notebookPort = await freePort();
  const options = ["--jupyter", await standInForJupyter(folder), "--containers", "none"];
  const addresses = ["--public-url", `https://${PAGE}`, "--notebook-url", `https://${NOTEBOOKS}`];
  const ports = ["--notebook-port", String(notebookPort)];
  server = await startRealServer(path.join(folder, "data"), {}, ...options, ...addresses, ...ports);
});

afterAll(async () => {
  await server?.stop();
  await remove?.();
});

describe.each(PROXIES)("behind %s", (proxy) => {
  let port: number;
  let endProxy: () => Promise<void>;

  beforeAll(async () => {
    if (maybeMissing(proxy) !== undefined || !hasOpenssl()) return;
    port = await freePort();
    const { cert, key } = certificate;
    const serverPort = Number(new URL(server.url).port);
    endProxy = await startProxy(proxy, {
      folder: path.join(folder, proxy),
      port,
      serverPort,
      notebookPort,
      cert,
      key,
    });
  });

  afterAll(() => endProxy?.());

  async function ask(
    address: string,
    { body, host = PAGE, ...options }: RequestOptions & { body?: Buffer; host?: string } = {},
  ): Promise<IncomingMessage> {
    const { headers, ...rest } = options;
    const request = httpsRequest(`https://127.0.0.1:${port}${address}`, {
      ...rest,
      servername: host,
      rejectUnauthorized: false,
      headers: { host, ...(headers as Record<string, string>) },
    });
    request.end(body);
    const [reply] = (await Promise.race([once(request, "response"), once(request, "upgrade")])) as [
      IncomingMessage,
    ];
    return reply;
  }

  const asAdmin = (route: string, query = "") => `/api/${route}?access_token=${ADMIN_TOKEN}${query}`;

  test("browsers sign in, streams arrive at once, large files and notebooks pass", async ({ skip }) => {
    const missing = maybeMissing(proxy) ?? (hasOpenssl() ? undefined : NEEDS_OPENSSL);
    if (missing !== undefined) return skip(missing);

    // Sign-in: the cookie is for HTTPS alone, because the proxy says so.
    const issued = await ask(asAdmin("session/codes"), { method: "POST" });
    const { code } = JSON.parse(await text(issued)) as { code: string };
    const signedIn = await ask("/api/session", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        origin: `https://${PAGE}`,
        "sec-fetch-site": "same-origin",
      },
      body: Buffer.from(JSON.stringify({ code })),
    });
    signedIn.resume();
    expect([signedIn.statusCode, String(signedIn.headers["set-cookie"])]).toEqual([
      201,
      expect.stringContaining("Secure"),
    ]);

    // A file that is larger than the usual limit of a proxy, and a name with an encoded slash.
    const { create, call, setStatus } = client(server.url);
    const run = await create(["echo one; sleep 1.5; echo two; sleep 0.1"], `behind-${proxy}`);
    const uploaded = await ask(asAdmin(`workflows/${run}/workspace`, "&file_name=data%2Fbig.bin"), {
      method: "POST",
      body: Buffer.alloc(UPLOAD_BYTES, 1),
    });
    expect([uploaded.statusCode, await text(uploaded)]).toEqual([200, expect.anything()]);
    const downloaded = await ask(asAdmin(`workflows/${run}/workspace/data%2Fbig.bin`));
    expect((await text(downloaded)).length).toBe(UPLOAD_BYTES);

    // Events and a followed log arrive while the run is live.
    await setStatus(run, "start");
    const jobs = async () => (await call("GET", `workflows/${run}/jobs`)).body["total"];
    await expect.poll(jobs).toBe(1);
    const [events, log] = [
      await ask(asAdmin(`workflows/${run}/events`)),
      await ask(asAdmin(`workflows/${run}/jobs/0.0/log`, "&follow=true")),
    ];
    expect([events.statusCode, log.statusCode]).toEqual([200, 200]);
    let isOver = false;
    events.once("end", () => (isOver = true));
    let heard = "";
    events.on("data", (chunk: Buffer) => (heard += String(chunk)));
    const [first] = (await once(log, "data")) as [Buffer];
    expect([String(first).includes("one"), String(first).includes("two")]).toEqual([true, false]);
    await expect.poll(() => heard).toContain("running");
    expect(isOver).toBe(false);
    log.resume();
    await expect.poll(() => isOver).toBe(true);
    expect(heard).toContain("finished");

    // A notebook, at the second host name, with its WebSocket.
    await call("POST", `workflows/${run}/open/jupyter`, "{}");
    const { body } = await call("GET", `workflows/${run}/interactive-session-secret`);
    const { url } = body as { url: string };
    expect(url).toMatch(`https://${NOTEBOOKS}/${run}/`);
    const opened = await ask(url.slice(`https://${NOTEBOOKS}`.length), { host: NOTEBOOKS });
    opened.resume();
    const lab = opened.headers.location!;
    const cookie = opened.headers["set-cookie"]![0]!.split(";", 1)[0]!;
    const at = async (address: string, more: Record<string, string> = {}) => {
      const reply = await ask(address, { host: NOTEBOOKS, headers: { cookie, ...more } });
      reply.resume();
      if (reply.statusCode === 101) reply.socket.destroy();
      return reply.statusCode;
    };
    await expect.poll(() => at(lab)).toBe(200);
    const upgrade = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      origin: `https://${NOTEBOOKS}`,
    };
    expect(await at(`${lab.slice(0, -"lab".length)}ws`, upgrade)).toBe(101);
    await call("POST", `workflows/${run}/close`);
  });
});
