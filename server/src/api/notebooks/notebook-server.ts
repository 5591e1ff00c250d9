import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Duplex } from "node:stream";
import { hasTwoHosts, hostnameOf } from "#api/http/access/host-check";
import { forward, forwardUpgrade } from "#api/notebooks/forward";
import { hasCookie, notebookCookie } from "#api/notebooks/notebook-cookie";
import {
  CLOSED,
  FOREIGN_PAGE,
  type Page,
  refuseUpgrade,
  show,
  SIGN_IN,
  STARTING,
  TWO_HOSTS,
  UNKNOWN_HOST,
} from "#api/notebooks/notebook-pages";
import { type Served, servedAt } from "#api/notebooks/served";
import type { Operations } from "#operations/operations";
import { isUuid } from "#plumbing/ids";
import type { Log } from "#plumbing/log";
import { isLoopback } from "#plumbing/loopback";
import { isSame } from "#plumbing/secrets/is-same";

/** Interval between checks of an open WebSocket: the user may have lost access. */
const RECHECK_MS = 5000;

export interface NotebookServerOptions {
  readonly operations: Pick<Operations, "notebooks" | "dashboards">;
  readonly log: Log;
  readonly config: {
    readonly host: string;
    readonly tlsCert?: string | undefined;
    readonly tlsKey?: string | undefined;
    /** Public addresses of the notebook server and of the main server behind a proxy. */
    readonly notebookUrl?: string | undefined;
    readonly publicUrl?: string | undefined;
  };
}

/**
 * Builds the server of the second origin, which passes requests on to notebooks and to dashboards of Dask clusters. Both
 * run code of a user in the browser. On an origin of its own a page can neither use the session of Reprise's page nor
 * read the page.
 */
export function buildNotebookServer(options: NotebookServerOptions): Server {
  const { operations, log, config } = options;
  const server = listener(config);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    serve(request, response).catch((err: unknown) => {
      log.warn({ err }, "A request for a notebook failed.");
      if (response.headersSent) response.destroy();
      else show(response, STARTING);
    });
  });
  server.on("upgrade", (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on("error", () => client.destroy());
    serveUpgrade(request, client, head).catch((err: unknown) => {
      log.warn({ err }, "A connection to a notebook failed.");
      client.destroy();
    });
  });
  return server;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = await find(request);
    if ("status" in found) return show(response, found);
    const { secret } = found;
    const given = new URL(request.url!, "http://notebook").searchParams.get("token");
    if (request.method === "GET" && given !== null && isSame(given, secret)) {
      return signIn(response, found, config);
    }
    const refusal = refusalOf(request, found);
    if (refusal) return show(response, refusal);
    const socket = await found.connect().catch(() => undefined);
    if (!socket) return show(response, STARTING);
    await forward({ request, socket, secret }, response);
  }

  async function serveUpgrade(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const found = await find(request);
    const refusal = "status" in found ? found : refusalOf(request, found);
    if (refusal) return refuseUpgrade(request, refusal);
    const { connect, secret } = found as Served;
    const looks = setInterval(() => void closeIfRefused(request, client), RECHECK_MS);
    client.once("close", () => clearInterval(looks));
    await forwardUpgrade({ request, socket: await connect(), secret }, client, head);
  }

  /** Closes a connection whose user has lost access, or whose place has closed. */
  async function closeIfRefused(request: IncomingMessage, client: Duplex): Promise<void> {
    const found = await find(request).catch(() => undefined);
    if (found && ("status" in found || refusalOf(request, found))) client.destroy();
  }

  async function find(request: IncomingMessage): Promise<Page | Served> {
    if (hasTwoHosts(request)) return TWO_HOSTS;
    if (!isOwnHost(request, config)) return UNKNOWN_HOST;
    const runId = (request.url ?? "").slice(1).split(/[/?]/, 1)[0]!;
    return isUuid(runId) ? servedAt(operations, runId, request.url!) : CLOSED;
  }
}

/** Gives the browser the cookie of a place, and leads to the first page there. */
function signIn(
  response: ServerResponse,
  { runId, secret, path, firstPage }: Served,
  { tlsCert }: NotebookServerOptions["config"],
): void {
  const location = `${path}${firstPage}`;
  const cookie = notebookCookie(runId, secret, path, tlsCert !== undefined);
  response
    .writeHead(303, {
      location,
      "set-cookie": cookie,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    })
    .end();
}

/**
 * Returns whether the request names a host of this server, against DNS rebinding; the API follows the same rule. With
 * TLS, a foreign name fails at the certificate. A server that other machines reach does not know all of its names.
 */
function isOwnHost(
  { headers }: IncomingMessage,
  { tlsCert, host, notebookUrl, publicUrl }: NotebookServerOptions["config"],
): boolean {
  if (tlsCert !== undefined || !isLoopback(host)) return true;
  const name = (headers.host ?? "").replace(/:\d*$/, "").toLowerCase();
  return isLoopback(name) || name === hostnameOf(notebookUrl) || name === hostnameOf(publicUrl);
}

function listener({ tlsCert, tlsKey }: NotebookServerOptions["config"]): Server {
  if (tlsCert === undefined || tlsKey === undefined) return createServer();
  return createTlsServer({ cert: readFileSync(tlsCert), key: readFileSync(tlsKey) });
}

function refusalOf(request: IncomingMessage, { runId, secret, path }: Served): Page | undefined {
  const isBelow = isSame((request.url ?? "").slice(0, path.length), path);
  if (!isBelow || !hasCookie(request, runId, secret)) return SIGN_IN;
  return isFromNotebook(request) ? undefined : FOREIGN_PAGE;
}

/**
 * Returns whether the notebook's own page has sent the request, or its user has typed the address. Other pages of this
 * machine are the same site to a cookie, and could otherwise use the notebook.
 */
function isFromNotebook({ headers, method }: IncomingMessage): boolean {
  const { origin, host, "sec-fetch-site": site } = headers;
  if (origin !== undefined) return URL.parse(origin)?.host === host;
  if (site === undefined || site === "same-origin" || site === "none") return true;
  return method === "GET" && headers["sec-fetch-mode"] === "navigate";
}
