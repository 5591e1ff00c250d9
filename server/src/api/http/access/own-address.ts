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
 * Returns a function that sends a browser from `localhost` to the address on which the server listens, and returns
 * whether it did. `localhost` has two addresses, and browsers fall back from one to the other: on the other one a job may
 * listen, whose page would have the origin of this server's page. Requests of programs stay, because many follow no
 * redirect. A proxy in front knows its own names.
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
