import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import { credentialsHook } from "#api/http/credentials";
import { onceOnly } from "#api/http/once";
import { restName, routerPath } from "#api/http/paths";
import { takesKey } from "#api/http/refusals";
import type { ApiContext, Endpoint } from "#api/http/route";
import { refuseWhenFull } from "#operations/service/disk-shortage";

/** Adds the route for a row of the table, with all that the row declares about itself. */
export function addEndpoint(app: FastifyInstance, endpoint: Endpoint, context: ApiContext): void {
  const status = successStatus(endpoint);
  const rest = restName(endpoint.path);
  const changes = takesKey(endpoint);
  const handle: (request: FastifyRequest, reply: FastifyReply) => unknown = changes
    ? onceOnly(endpoint, context, status)
    : (request, reply) => endpoint.handle(context, request, reply);
  app.route({
    method: endpoint.method,
    url: routerPath(endpoint.path),
    schema: schemaOf(endpoint),
    config: { endpoint },
    ...(endpoint.access !== "anyone" && { onRequest: credentialsHook(endpoint, context) }),
    ...(rest !== undefined && { preValidation: nameRest(rest) }),
    handler: (request, reply) => {
      if (changes && !endpoint.worksOnFullDisk) refuseWhenFull(context.disk);
      if (status !== 200) reply.code(status);
      return handle(request, reply);
    },
  });
}

/** Returns the first success status among the declared replies. */
export function successStatus(endpoint: Endpoint): number {
  return Number(Object.keys(endpoint.schema.response).find((status) => status.startsWith("2")) ?? 200);
}

/** Returns the schemas that check the request and serialise the reply. Bytes are not serialised. */
function schemaOf(endpoint: Endpoint): Record<string, unknown> {
  const { response, ...request } = endpoint.schema;
  return endpoint.produces ? request : { ...request, response };
}

/** Renames the rest of a path, which the router calls `*`. */
function nameRest(name: string) {
  return (request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const { "*": rest, ...params } = request.params as Record<string, string>;
    request.params = { ...params, [name]: rest };
    done();
  };
}
