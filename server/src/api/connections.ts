import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** How long a client may take to send its headers. */
const HEADERS_TIMEOUT_MS = 20_000;
/** How long a connection may be silent in the middle of something. Whole requests may take as long as they need. */
const SILENCE_TIMEOUT_MS = 120_000;
/** How long a connection is kept for a next request. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** How long closing waits for requests that are being answered. */
const CLOSE_DEADLINE_MS = 5000;

/** Nobody holds a connection without using it, and closing the server comes to an end. */
export function boundWaiting(app: FastifyInstance): void {
  const { server } = app;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = 0;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.setTimeout(SILENCE_TIMEOUT_MS);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  app.addHook("preClose", (done) => {
    // Browsers open connections that they may need later: Node does not count those as idle.
    for (const socket of sockets) if (!isServing(socket)) socket.destroy();
    const timer = setTimeout(() => server.closeAllConnections(), CLOSE_DEADLINE_MS);
    server.once("close", () => clearTimeout(timer));
    done();
  });
}

/** Node keeps the reply that is being written on its connection. */
export function isServing(socket: Socket): boolean {
  return replyOn(socket) !== undefined;
}

/** Whether a reply on this connection has begun: more text would only spoil it. */
export function isAnswering(socket: Socket): boolean {
  return replyOn(socket)?.headersSent === true;
}

function replyOn(socket: Socket): { readonly headersSent: boolean } | undefined {
  return (socket as { _httpMessage?: { readonly headersSent: boolean } | null })._httpMessage ?? undefined;
}
