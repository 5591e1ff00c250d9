import type { FastifyReply, FastifyRequest } from "fastify";
import type { RequestMeter } from "#api/http/observe/request-meter";
import type { Clock } from "#plumbing/clock";
import type { Log } from "#plumbing/log";

/**
 * Logs and counts each request. The line is written after the reply is sent or the client disconnects. The
 * line has the route instead of the address, because addresses contain tokens. The only text of the client in
 * the line is its method, which must be defined by HTTP. A line about a change also names the changed object;
 * it is written through the logger that removes tokens.
 */
export function accessLog(log: Log, clock: Clock, requests: RequestMeter) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const startMs = clock.elapsedMs();
    reply.raw.on("close", () => {
      const ms = Math.round(clock.elapsedMs() - startMs);
      const row = request.row ?? request.routeOptions.config.route;
      requests.note(row, request, { status: reply.raw.statusCode, ms });
      const path = row?.path;
      const route = path === undefined ? "null" : `"${path}"`;
      const user = request.caller ? `,"userId":"${request.caller.id}"` : "";
      // The client disconnected before the end of the reply.
      const isCut = !reply.raw.writableEnded;
      if (request.subject) {
        const { caller, subject, ip, method } = request;
        const { statusCode: status } = reply.raw;
        const line = {
          requestId: request.id,
          method,
          route: path,
          status,
          ms,
          ip,
          userId: caller?.id,
          ...subject,
          ...(isCut && { cut: true }),
        };
        return log.info(line, "request");
      }
      log.infoOfOwnWords(
        `"requestId":"${request.id}","method":"${request.method}","route":${route},` +
          `"status":${reply.raw.statusCode},"ms":${ms},"ip":"${request.ip}"${user}${isCut ? ',"cut":true' : ""}`,
        "request",
      );
    });
  };
}
