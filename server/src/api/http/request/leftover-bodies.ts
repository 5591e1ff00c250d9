import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Time for which a client may continue to send a body that is no longer needed. */
const LINGER_MS = 30_000;

/**
 * Reads and discards the rest of a body after an early reply (a wrong token, a body that is too large). The client may
 * still be sending, and closing the connection now would hide the reply from it. The connection is closed after a
 * while.
 */
export function forgetLeftoverBody(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = request;
  // An injected request has no connection and no client that is still sending.
  if (!hasBody(raw) || !(raw.socket instanceof Socket)) return;
  reply.raw.once("finish", () => {
    if (raw.complete || raw.destroyed) return;
    const timer = setTimeout(() => raw.socket.destroy(), LINGER_MS);
    timer.unref();
    raw.once("close", () => clearTimeout(timer));
    raw.resume();
  });
}

function hasBody(raw: IncomingMessage): boolean {
  return raw.headers["transfer-encoding"] !== undefined || (raw.headers["content-length"] ?? "0") !== "0";
}
