import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "#plumbing/clock";
import type { Log } from "#plumbing/log";

/**
 * One line for each request, when its answer is sent or its client is gone. The route stands for the address, because
 * addresses hold tokens.
 */
export function accessLog(log: Log, clock: Clock) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const startMs = clock.now();
    reply.raw.once("close", () => {
      const details = {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.config.endpoint?.path ?? null,
        status: reply.raw.statusCode,
        ms: clock.now() - startMs,
        userId: request.caller?.id,
        // The client went away before it had everything.
        cut: reply.raw.writableEnded ? undefined : true,
      };
      log.info(details, "request");
    });
  };
}
