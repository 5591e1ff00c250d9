import type { FastifyReply, FastifyRequest } from "fastify";
import type { AllowedMethods } from "#api/allowed-methods";
import { sendError } from "#api/error-replies";

/** Answers a request for which there is no route: 404 for an unknown address, 405 for an unknown method of a known one. */
export function notFoundHandler(methods: AllowedMethods) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { allow, ...error } = methods.noRoute(request.method, request.url);
    if (allow !== undefined) reply.header("allow", allow);
    return sendError(reply, error);
  };
}
