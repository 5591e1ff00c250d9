import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";

/** How long a client may go on sending a body that nobody reads any more. */
const LINGER_MS = 30_000;

/**
 * A request that was answered before its body was read (a wrong token, a body that is too large): its client may still
 * be sending, and would see a broken connection instead of the answer if it was closed now. So the rest is read and
 * forgotten for a while; then the connection is closed.
 */
export function forgetLeftoverBody(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = request;
  // A request that came over no connection has nobody who still sends.
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
