import type { FastifyReply, FastifyRequest } from "fastify";
import type { AllowedMethods } from "#api/http/allowed-methods";
import { sendError } from "#api/http/reply/error-replies";

/** Replies to a request without a route: 404 for an unknown address, 405 for an unsupported method of a known one. */
export function notFoundHandler(methods: AllowedMethods) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { allow, ...error } = methods.noRoute(request.method, request.url);
    if (allow !== undefined) reply.header("allow", allow);
    return sendError(reply, error);
  };
}
