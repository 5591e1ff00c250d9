import type { FastifyRequest } from "fastify";
import { cameByTls } from "#api/http/access/session-cookie";
import type { ApiContext } from "#api/http/endpoint";

/** Returns the address at which users reach the server: the one that the administrator has set, or that of the request. */
export function serverAddress({ publicUrl }: Pick<ApiContext, "publicUrl">, request: FastifyRequest): string {
  return publicUrl ?? `${cameByTls(request) ? "https" : "http"}://${request.host}`;
}
