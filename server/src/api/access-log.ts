import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "#plumbing/clock";
import type { Log } from "#plumbing/log";

/**
 * One line for each request, when its answer is sent or its client is gone. The route stands for the address, because
 * addresses hold tokens: nothing that the client sent is in the line but its method, which is one that HTTP knows. A
 * change also says what was changed; that goes the way on which tokens are taken out.
 */
export function accessLog(log: Log, clock: Clock) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const startMs = clock.now();
    reply.raw.on("close", () => {
      const path = request.routeOptions.config.endpoint?.path;
      const route = path === undefined ? "null" : `"${path}"`;
      const user = request.caller ? `,"userId":"${request.caller.id}"` : "";
      // The client went away before it had everything.
      const cut = reply.raw.writableEnded ? "" : ',"cut":true';
      if (request.subject) {
        const { caller, subject, ip, method } = request;
        const { statusCode: status } = reply.raw;
        const ms = clock.now() - startMs;
        const line = {
          requestId: request.id,
          method,
          route: path,
          status,
          ms,
          ip,
          userId: caller?.id,
          ...subject,
        };
        return log.info(line, "request");
      }
      log.infoOfOwnWords(
        `"requestId":"${request.id}","method":"${request.method}","route":${route},` +
          `"status":${reply.raw.statusCode},"ms":${clock.now() - startMs},"ip":"${request.ip}"${user}${cut}`,
        "request",
      );
    });
  };
}
