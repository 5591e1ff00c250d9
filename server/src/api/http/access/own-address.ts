import { isIP } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { opensPage } from "#api/http/request/opens-page";
import { cameByTls } from "#api/http/access/session-cookie";
import { isLoopback } from "#plumbing/loopback";

interface Listening {
  readonly host: string;
  readonly tlsCert?: string | undefined;
}

/**
 * Returns a function that redirects a browser from `localhost` to the server's listening address, and returns
 * whether it did. `localhost` has two addresses, and browsers fall back from one to the other. A job may
 * listen on the second address, and its page would share the origin of the server's page. Requests of
 * programs are not redirected, because many programs follow no redirect. A proxy in front knows its own
 * names.
 */
export function ownAddressRedirect({ host, tlsCert }: Listening) {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const isOneAddress = isIP(bare) > 0 && isLoopback(bare) && tlsCert === undefined;
  const own = bare.includes(":") ? `[${bare}]` : bare;
  return (request: FastifyRequest, reply: FastifyReply): boolean => {
    if (!isOneAddress || !opensPageByName(request)) return false;
    const [, port = ""] = /^localhost(:\d+)?$/i.exec(request.raw.headers.host ?? "")!;
    void reply.header("cache-control", "no-store").redirect(`http://${own}${port}${request.raw.url}`, 302);
    return true;
  };
}

const FROM_PROXY = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"] as const;

function opensPageByName(request: FastifyRequest): boolean {
  const { headers } = request.raw;
  if (!opensPage(request) || !/^localhost(:\d+)?$/i.test(headers.host ?? "")) return false;
  return !cameByTls(request) && FROM_PROXY.every((name) => headers[name] === undefined);
}
