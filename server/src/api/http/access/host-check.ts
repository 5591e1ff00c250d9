import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import { sendError } from "#api/http/reply/error-replies";
import { printable } from "#plumbing/text/printable";

/**
 * Refuses requests for unknown hosts, against DNS rebinding. Any page can point its own name at this machine,
 * and its scripts then reach a server on loopback. The browser still sends the page's name as the host.
 */
export function hostCheck(isAllowed: (hostname: string) => boolean) {
  // Cached, because clients send the same host each time.
  let lastAllowed: string | undefined;
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const { host } = request.raw.headers;
    if (hasTwoHosts(request.raw)) {
      sendError(reply, { status: 400, message: "The request has two Host headers. Send one." });
      return;
    }
    if (host === lastAllowed && host !== undefined) return done();
    if (host === undefined) {
      // Requests without a host exist only in HTTP/1.0, which no browser uses.
      if (request.raw.httpVersion === "1.0") return done();
      sendError(reply, { status: 400, message: "The request has no Host header." });
      return;
    }
    if (isAllowed(hostname(host))) {
      lastAllowed = host;
      return done();
    }
    const message =
      `This server does not serve the host ${printable(host, 100)}: it listens on this machine only. ` +
      "Use localhost or 127.0.0.1. Behind a proxy, start it with --public-url and the address that users open.";
    sendError(reply, { status: 421, message });
  };
}

/**
 * Returns whether the request names its host twice. A proxy and this server may choose different hosts, and then disagree
 * about the meaning of the request.
 */
export function hasTwoHosts({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">): boolean {
  let hosts = 0;
  // Names and values alternate.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

/** Returns the host name of an address that the administrator has set, as a request would name it. */
export function hostnameOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : hostname(new URL(url).host);
}

/** Returns a host without port, brackets and capitals: `[::1]:7070`, `LOCALHOST:7070`. */
function hostname(host: string): string {
  return host
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();
}
