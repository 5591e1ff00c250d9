import type { FastifyReply, FastifyRequest } from "fastify";
import { sendError } from "#api/error-replies";
import { pathPattern } from "#api/paths";
import type { Endpoint } from "#api/route";
import { printable } from "#plumbing/printable";

const MAX_SHOWN_LENGTH = 200;

/** No route: either the address is unknown, or it is known and the method is not among those that it answers. */
export function notFoundHandler(routes: readonly Endpoint[]) {
  const patterns = [...Map.groupBy(routes, (route) => route.path)].map(([path, endpoints]) => ({
    pattern: pathPattern(path),
    methods: endpoints.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])),
  }));
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = request.url.split("?", 1)[0]!;
    const shown = printable(path, MAX_SHOWN_LENGTH);
    const known = patterns.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
    if (known.length === 0) {
      const message = `There is no ${request.method} ${shown} here. GET /api/openapi.json lists what there is.`;
      return sendError(reply, { status: 404, message });
    }
    const allowed = [...new Set(known)].join(", ");
    reply.header("allow", allowed);
    return sendError(reply, {
      status: 405,
      message: `${shown} does not answer ${request.method}, only ${allowed}.`,
    });
  };
}
