import { once } from "node:events";
import { get as httpGet, type IncomingMessage } from "node:http";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";
import { standInForJupyter } from "./stand-in.ts";

let folder: string;
let remove: () => Promise<void>;
let server: RealServer;

const data = () => path.join(folder, "data");
const start = async (...more: string[]) => {
  const options = ["--jupyter", path.join(folder, "jupyter-lab"), "--containers", "none", ...more];
  server = await startRealServer(data(), {}, ...options);
};

beforeAll(async () => {
  ({ folder, remove } = await temporaryFolder());
  await standInForJupyter(folder);
  await mkdir(data());
  await start();
});

afterAll(async () => {
  // Notebooks outlive a stopped server.
  const { call } = client(server.url);
  const { body } = await call("GET", "workflows", undefined, "&type=interactive");
  for (const { id } of body["items"] as { readonly id: string }[])
    await call("POST", `workflows/${id}/close`);
  await server.stop();
  await remove();
});

interface Told {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly folder: string;
  readonly pid: number;
}

async function openedNotebook(name: string) {
  return openedNotebookOf(await client(server.url).create(["true"], name));
}

/**
 * Opens the notebook of a run, like a browser that follows the notebook's address, and waits for a response.
 */
async function openedNotebookOf(run: string) {
  const { call } = client(server.url);
  expect(await call("POST", `workflows/${run}/open/jupyter`, "{}")).toMatchObject({
    status: 200,
    body: { path: `/${run}` },
  });
  const { body } = await call("GET", `workflows/${run}/interactive-session-secret`);
  const { url, session_secret: secret } = body as Record<string, string>;
  const signedIn = await fetch(url!, { redirect: "manual" });
  const location = signedIn.headers.get("location")!;
  expect([signedIn.status, location]).toEqual([303, expect.stringMatching(`^/${run}/[\\w-]{43}/lab$`)]);
  const base = location.slice(0, -"lab".length);
  expect(signedIn.headers.get("set-cookie")).toContain(`; Path=${base};`);
  const cookie = signedIn.headers.get("set-cookie")!.split(";", 1)[0]!;
  const { origin } = new URL(url!);
  const get = (place: string, init: RequestInit = {}) =>
    fetch(`${origin}${base}${place}`, { ...init, headers: { cookie, ...init.headers } });
  const told = async (place: string, init?: RequestInit) => (await (await get(place, init)).json()) as Told;
  await expect.poll(async () => (await get("lab")).status).toBe(200);
  return { run, origin, base, secret: secret!, cookie, get, told, call };
}

describe("a notebook", () => {
  test("serves the run's files to the browser of the owner", async () => {
    const { origin, base, secret, cookie, get, told } = await openedNotebook("seen");
    const seen = await told("api/contents?a=1", { method: "POST", body: "x" });
    expect(seen).toMatchObject({ url: `${base}api/contents?a=1`, method: "POST", body: "x" });
    expect(path.dirname(seen.folder)).toBe(path.join(data(), "workspaces"));
    expect((await get("lab")).headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2"]);
    // The notebook receives neither its own session cookie nor the cookie of Reprise's page.
    const others = await told("lab", { headers: { cookie: `${cookie}; reprise-session-7070=x; mine=1` } });
    expect(others.headers["cookie"]).toBe("mine=1");
    const socket = new WebSocket(`${origin.replace("http", "ws")}${base}ws`, {
      headers: { cookie },
    });
    const echo = await new Promise((resolve) => {
      socket.addEventListener("open", () => socket.send("hello"));
      socket.addEventListener("message", ({ data: text }) => resolve(text));
      socket.addEventListener("error", resolve);
    });
    expect(echo).toBe("hello");
    socket.close();
    expect(secret).toHaveLength(43);
  });

  test.each<[string, RequestInit, number]>([
    ["no cookie", { headers: { cookie: "" } }, 403],
    ["a wrong token", { headers: { cookie: "" } }, 403],
    ["another page's change", { method: "POST", headers: { origin: "http://127.0.0.1:1" } }, 403],
    ["a picture in another page", { headers: { "sec-fetch-site": "same-site" } }, 403],
  ])("%s", async (name, init, status) => {
    const { get } = await openedNotebook(`with-${name.replaceAll(/\W/g, "-")}`);
    expect((await get(name === "a wrong token" ? "?token=nonsense" : "lab", init)).status).toBe(status);
  });

  test("another page may link to it", async () => {
    const { base, origin, cookie } = await openedNotebook("followed");
    const headers = { cookie, "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate" };
    const [reply] = await once(httpGet(`${origin}${base}lab`, { headers }), "response");
    expect((reply as IncomingMessage).resume().statusCode).toBe(200);
  });

  test("a WebSocket of another page is refused", async () => {
    const { base, origin, cookie } = await openedNotebook("foreign");
    const socket = new WebSocket(`${origin.replace("http", "ws")}${base}ws`, {
      headers: { cookie, origin: "http://evil.example" },
    });
    const outcome = await new Promise((resolve) => {
      socket.addEventListener("open", () => resolve("open"));
      socket.addEventListener("error", () => resolve("refused"));
    });
    expect(outcome).toBe("refused");
  });

  test("the address that REANA's clients print leads to it, with either token", async () => {
    const { run, secret, origin } = await openedNotebook("linked");
    const follow = (token: string) => fetch(`${server.url}/${run}?token=${token}`, { redirect: "manual" });
    const admin = "test.admin.0123456789abcdefghijklmnopqrstuvwxyz";
    for (const token of [secret, admin]) {
      const reply = await follow(token);
      expect([reply.status, reply.headers.get("location")]).toEqual([
        302,
        `${origin}/${run}/?token=${secret}`,
      ]);
    }
    expect((await follow("nonsense")).status).toBe(404);
  });

  test("is opened once, listed, and closed", async () => {
    const { run, secret, call, get } = await openedNotebook("once");
    const found = await call("GET", "workflows", undefined, "&type=interactive&include_session_secrets=true");
    const listed = {
      session_type: "jupyter",
      session_uri: `/${run}`,
      session_status: "running",
      session_secret: secret,
    };
    expect(found.body["items"]).toContainEqual(expect.objectContaining({ id: run, ...listed }));
    expect(await call("POST", `workflows/${run}/open/jupyter`, "{}")).toMatchObject({
      status: 404,
      body: { message: "Interactive session is already open" },
    });
    expect(await call("POST", `workflows/${run}/close`)).toMatchObject({
      status: 200,
      body: { message: "The interactive session has been closed" },
    });
    expect((await get("lab")).status).toBe(404);
    expect(await call("POST", `workflows/${run}/close`)).toMatchObject({
      status: 404,
      body: { message: "Workflow - once.1 has no open interactive session." },
    });
  });

  test("that ends by itself is closed, and the server's log says how", async () => {
    const { run, get, call } = await openedNotebook("ended");
    await get("end");
    await expect.poll(async () => (await call("POST", `workflows/${run}/close`)).status).toBe(404);
    expect(await call("POST", `workflows/${run}/open/jupyter`, "{}")).toMatchObject({ status: 200 });
  });

  test("charges processor time to the user", async () => {
    const { run, call, get } = await openedNotebook("counted");
    const cpuMs = async () => {
      const { body } = await call("GET", "you");
      return (body as { quota: { cpu: { usage: { raw: number } } } }).quota.cpu.usage.raw;
    };
    const before = await cpuMs();
    await get("end");
    await expect.poll(async () => (await call("POST", `workflows/${run}/close`)).status).toBe(404);
    const byItself = await cpuMs();
    expect(byItself).toBeGreaterThan(before);
    await openedNotebookOf(run);
    expect((await call("POST", `workflows/${run}/close`)).status).toBe(200);
    expect(await cpuMs()).toBeGreaterThan(byItself);
  });

  test("ends with the run", async () => {
    const { run, call, get, told } = await openedNotebook("deleted");
    const { pid } = await told("lab");
    expect((await call("PUT", `workflows/${run}/status`, "{}", "&status=deleted")).status).toBe(200);
    expect((await get("lab")).status).toBe(404);
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  test("runs on while the server is killed, and the next server finds it", async () => {
    const { run, base, cookie, told } = await openedNotebook("kept");
    const { pid } = await told("lab");
    await server.kill();
    await start();
    const { call } = client(server.url);
    const { body } = await call("GET", `workflows/${run}/interactive-session-secret`);
    const { origin } = new URL(String(body["url"]));
    const again = await fetch(`${origin}${base}lab`, { headers: { cookie } });
    expect(((await again.json()) as Told).pid).toBe(pid);
  });
});
