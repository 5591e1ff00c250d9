import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import { sendError } from "#api/error-replies";
import { printable } from "#plumbing/printable";

/**
 * A page from anywhere can give its own name the address of this machine (DNS rebinding), and its scripts then reach a
 * server that listens on loopback. The browser still sends the page's name as the host: only known names are answered.
 */
export function hostCheck(isAllowed: (hostname: string) => boolean) {
  // Clients send the same one again and again.
  let lastAllowed: string | undefined;
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const { host } = request.raw.headers;
    if (host === lastAllowed && host !== undefined) return done();
    if (host === undefined) {
      // Only HTTP/1.0 has requests without a host, and no browser speaks it.
      if (request.raw.httpVersion === "1.0") return done();
      sendError(reply, { status: 400, message: "The request has no Host header." });
      return;
    }
    if (isAllowed(hostname(host))) {
      lastAllowed = host;
      return done();
    }
    const message =
      `This server does not answer for the host ${printable(host, 100)}: it listens on this machine only. ` +
      "Use localhost or 127.0.0.1, or start it with --host and that name.";
    sendError(reply, { status: 421, message });
  };
}

/** `[::1]:7070` and `LOCALHOST:7070` without port, brackets and capitals. */
function hostname(host: string): string {
  return host
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();
}
