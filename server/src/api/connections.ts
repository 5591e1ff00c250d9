import type { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import type { FastifyInstance } from "fastify";

/** How long a client may take to send its headers. */
const HEADERS_TIMEOUT_MS = 20_000;
/** How long a connection may be silent in the middle of something. Whole requests may take as long as they need. */
export const SILENCE_TIMEOUT_MS = 120_000;
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
  const connections = openSockets(server, "connection");
  // Over TLS requests are served on another object than the connection itself.
  const served = server instanceof TlsServer ? openSockets(server, "secureConnection") : connections;
  app.addHook("preClose", (done) => {
    for (const socket of served) closeWhenIdle(socket);
    const timer = setTimeout(() => connections.forEach((socket) => socket.destroy()), CLOSE_DEADLINE_MS);
    server.once("close", () => clearTimeout(timer));
    done();
  });
}

function openSockets(server: EventEmitter, event: "connection" | "secureConnection"): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on(event, (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}

/** Node would keep the connection open after the answer, and does not count those that never asked as idle. */
function closeWhenIdle(socket: Socket): void {
  const reply = replyOn(socket);
  if (reply) reply.once("finish", () => socket.destroySoon());
  else socket.destroy();
}

/** Whether a reply on this connection has begun: more text would only spoil it. */
export function isAnswering(socket: Socket): boolean {
  return replyOn(socket)?.headersSent === true;
}

/** Node keeps the reply that is being written on its connection. */
function replyOn(socket: Socket): ServerResponse | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
