import type { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import type { FastifyInstance } from "fastify";

/** Time limit for the headers of a request. */
const HEADERS_TIMEOUT_MS = 20_000;
/** Time for which a connection may be silent in the middle of a request or reply. A whole request has no time limit. */
export const SILENCE_TIMEOUT_MS = 120_000;
/** Time for which an idle connection is kept for the next request. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** Time for which closing the server waits for open requests. */
const CLOSE_DEADLINE_MS = 5000;

/** Bounds how long connections stay open unused, and how long closing the server takes. */
export function setConnectionTimeouts(app: FastifyInstance): void {
  const { server } = app;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = 0;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.setTimeout(SILENCE_TIMEOUT_MS);
  const connections = openSockets(server, "connection");
  // With TLS, requests are served on a different object than the connection itself.
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

/**
 * Closes a connection after its reply. Node would keep the connection open, and does not count a connection
 * without any request as idle.
 */
function closeWhenIdle(socket: Socket): void {
  const reply = replyOn(socket);
  if (reply) reply.once("finish", () => socket.destroySoon());
  else socket.destroy();
}

/**
 * Calls back when every complete request on this connection has its reply. The callback learns whether text
 * may follow. No text may follow a partial reply to an incomplete request, because it would corrupt the
 * reply.
 */
export function afterReplies(socket: Socket, end: (mayWrite: boolean) => void): void {
  const reply = replyOn(socket);
  if (!socket.writable) end(false);
  else if (reply?.req.complete) reply.once("finish", () => afterReplies(socket, end));
  else end(reply?.headersSent !== true);
}

/** Returns the reply in progress. Node keeps the reply on the connection. */
function replyOn(socket: Socket): ServerResponse | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
