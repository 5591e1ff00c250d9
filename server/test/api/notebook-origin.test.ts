import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { notebookCookie } from "#api/notebooks/notebook-cookie";
import { buildNotebookServer } from "#api/notebooks/notebook-server";
import { notebookPath } from "#notebooks/notebook-path";
import { createLog } from "#plumbing/log";
import { apiFixture } from "../support/api-fixture.ts";
import { fakeBackend } from "../support/fakes/fake-backend.ts";
import { createRun } from "../support/run-rows.ts";
import { makeCallers } from "./caller-kinds.ts";
import type { Who } from "./permission-matrix.ts";

/** Each kind of caller at the origin of the notebooks, and at the address that redirects there. */
const SERVES = 200;
const SWITCHES = 101;
const LEADS = 302;

/** Stands for Jupyter: it serves every request, and agrees to every WebSocket. */
const jupyter = createServer((_request, response) => response.end("the notebook"));
jupyter.on("upgrade", (_request, socket) => {
  socket.on("error", () => socket.destroy());
  socket.end("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n");
});

const backend = Object.assign(fakeBackend(), {
  connect: async () => connect((jupyter.address() as AddressInfo).port, "127.0.0.1"),
});
const notebooks = {
  program: "/bin/jupyter-lab",
  allowsImages: false,
  most: 10,
  memoryBytes: 2 ** 30,
  idleMs: undefined,
};
const api = await apiFixture({ parts: { backends: [backend], notebooks } });
const { owner, tokens, share } = await makeCallers(api);
const log = createLog({ level: "error", destination: { write: () => undefined } });
const origin = buildNotebookServer({
  operations: api.operations,
  log,
  config: { host: "127.0.0.1", notebookUrl: "https://notebooks.example.org:8443" },
});
afterAll(async () => {
  origin.close();
  origin.closeAllConnections();
  jupyter.close();
  await api.close();
});

let run: string;
let other: string;
beforeAll(async () => {
  for (const server of [jupyter, origin]) await once(server.listen(0, "127.0.0.1"), "listening");
  [run, other] = [await opened("fit"), await opened("other")];
  await share(run);
});

async function opened(name: string): Promise<string> {
  const { id } = await createRun(api, owner, name);
  const url = `/api/workflows/${id}/open/jupyter?access_token=${owner.token}`;
  expect((await api.inject({ method: "POST", url, payload: {} })).statusCode).toBe(200);
  return id;
}

async function secretOf(id: string): Promise<string> {
  const { notebooks: all } = api.operations;
  return all.secretOf((await all.maybeOf(id))!);
}

async function labOf(id: string): Promise<string> {
  return `${notebookPath(id, await secretOf(id))}lab`;
}

interface Request {
  readonly path: string;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly isWebSocket?: boolean;
}

/** Sends a request to the second origin over a connection of its own. Returns the status. */
async function ask({ path, method = "GET", headers = {}, isWebSocket = false }: Request): Promise<number> {
  const { port } = origin.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  const upgrade = { connection: "Upgrade", upgrade: "websocket" };
  const all = { host: `127.0.0.1:${port}`, connection: "close", ...headers, ...(isWebSocket && upgrade) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  let reply = "";
  for await (const chunk of socket.setEncoding("latin1")) reply += chunk;
  return Number(reply.split(" ", 2)[1]);
}

const cookie = (id: string, secret: string) => ({
  cookie: notebookCookie(id, secret, "/", false).split(";", 1)[0]!,
});

/** No token of the API opens the origin. Of the address at the API's own, these do. */
const LED: readonly Who[] = ["owner", "runsOnly", "device"];

describe.each(Object.keys(tokens) as Who[])("%s", (who) => {
  const token = tokens[who] ?? "";
  const ways: readonly (readonly [way: string, make: () => Request])[] = [
    ["with a token in the address", () => ({ path: `/${run}/?token=${token}` })],
    ["with a token as cookie", () => ({ path: `/${run}/lab`, headers: cookie(run, token) })],
    [
      "with a token in a header",
      () => ({ path: `/${run}/lab`, headers: { authorization: `Bearer ${token}` } }),
    ],
    ["with Jupyter's header", () => ({ path: `/${run}/lab`, headers: { authorization: `token ${token}` } })],
    ["with a change", () => ({ path: `/${run}/api/contents?token=${token}`, method: "POST" })],
  ];

  test.each(ways)("opens no notebook %s, and no WebSocket", async (_way, make) => {
    expect(await ask(make())).toBe(403);
    expect(await ask({ ...make(), method: "GET", isWebSocket: true })).toBe(403);
  });

  test("reaches the notebook only as its owner", async () => {
    const reply = await api.app.inject(`/${run}?token=${encodeURIComponent(token)}`);
    expect(reply.statusCode).toBe(LED.includes(who) ? LEADS : 404);
  });
});

describe("a browser", () => {
  const own = async () => cookie(run, await secretOf(run));
  const here = () => ({ host: `127.0.0.1:${(origin.address() as AddressInfo).port}` });
  let lab = "";
  beforeAll(async () => {
    lab = await labOf(run);
  });
  const cases: readonly (readonly [
    what: string,
    make: () => Promise<Request>,
    http: number,
    socket: number,
  ])[] = [
    ["with the cookie", async () => ({ path: lab, headers: await own() }), SERVES, SWITCHES],
    [
      "on the notebook's own page",
      async () => ({ path: lab, headers: { ...(await own()), origin: `http://${here().host}` } }),
      ...([SERVES, SWITCHES] as const),
    ],
    [
      "with the cookie at another path, as a program on another port that caught it",
      async () => ({ path: `/${run}/lab`, headers: await own() }),
      ...([403, 403] as const),
    ],
    [
      "with the cookie at the path of another notebook",
      async () => ({ path: (await labOf(other)).replace(other, run), headers: await own() }),
      ...([403, 403] as const),
    ],
    [
      "with the secret as the cookie",
      async () => ({ path: lab, headers: { cookie: `reprise-notebook-${run}=${await secretOf(run)}` } }),
      ...([403, 403] as const),
    ],
    [
      "with the cookie as the secret",
      async () => ({ path: `/${run}/?token=${(await own()).cookie.split("=")[1]}` }),
      ...([403, 403] as const),
    ],
    ["with the path alone", async () => ({ path: lab }), 403, 403],
    [
      "with the secret in the address",
      async () => ({ path: `/${run}/?token=${await secretOf(run)}` }),
      303,
      403,
    ],
    [
      "with the cookie of another notebook",
      async () => ({ path: lab, headers: cookie(other, await secretOf(other)) }),
      403,
      403,
    ],
    [
      "with the secret of another notebook",
      async () => ({ path: lab, headers: cookie(run, await secretOf(other)) }),
      403,
      403,
    ],
    [
      "on another page",
      async () => ({ path: lab, headers: { ...(await own()), origin: "http://127.0.0.1:1" } }),
      ...([403, 403] as const),
    ],
    [
      "on a page without an origin",
      async () => ({ path: lab, headers: { ...(await own()), origin: "null" } }),
      403,
      403,
    ],
    [
      "by another name of the host",
      async () => ({ path: lab, headers: { ...(await own()), host: "evil.example" } }),
      421,
      421,
    ],
    [
      "by the host name that a proxy passes on",
      async () => ({ path: lab, headers: { ...(await own()), host: "Notebooks.example.org:8443" } }),
      ...([SERVES, SWITCHES] as const),
    ],
    [
      "at a run without a notebook",
      async () => ({ path: `/${owner.id}/lab`, headers: await own() }),
      404,
      404,
    ],
    ["at no run", async () => ({ path: "/", headers: await own() }), 404, 404],
  ];

  test.each(cases)("%s gets %s", async (_what, make, http, socket) => {
    const request = await make();
    expect([await ask(request), await ask({ ...request, isWebSocket: true })]).toEqual([http, socket]);
  });

  test("is let in no more when the notebook was opened again", async () => {
    const before = cookie(other, await secretOf(other));
    const path = await labOf(other);
    const url = `/api/workflows/${other}/close?access_token=${owner.token}`;
    expect((await api.inject({ method: "POST", url })).statusCode).toBe(200);
    expect(await ask({ path, headers: before })).toBe(404);
    const open = `/api/workflows/${other}/open/jupyter?access_token=${owner.token}`;
    await api.inject({ method: "POST", url: open, payload: {} });
    expect(await ask({ path, headers: before })).toBe(403);
    expect(await ask({ path, headers: before, isWebSocket: true })).toBe(403);
  });
});
