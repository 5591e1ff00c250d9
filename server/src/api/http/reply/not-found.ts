import type { FastifyReply, FastifyRequest } from "fastify";
import type { AllowedMethods } from "#api/http/allowed-methods";
import { sendError } from "#api/http/reply/error-replies";

type SendPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/**
 * Replies to a request without a route: 404 for an unknown address, 405 for an unsupported method of a known one. A
 * browser that opens an unknown address gets a page, if there is one.
 */
export function notFoundHandler(methods: AllowedMethods, sendPage: SendPage) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { allow, ...error } = methods.noRoute(request.method, request.url);
    if (allow !== undefined) reply.header("allow", allow);
    const page = error.status === 404 ? await sendPage(request, reply) : undefined;
    return page ?? sendError(reply, error);
  };
}
