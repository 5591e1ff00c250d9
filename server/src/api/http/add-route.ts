import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import { auditHook, isAudited } from "#api/http/observe/audit";
import { credentialsHook } from "#api/http/access/credentials";
import { handlerOf } from "#api/http/idempotency";
import { wildcardName, routerPath } from "#api/http/paths";
import { takesKey } from "#api/http/document/refusals";
import { type ApiContext, maybeFormOf, type Route } from "#api/http/endpoint";
import { refuseFilesWhenLow, refuseWhenFull } from "#operations/service/disk-shortage";

/** Adds the route for a row of the table, with all that the row declares about itself. */
export function addRoute(app: FastifyInstance, route: Route, context: ApiContext): void {
  const status = successStatus(route);
  const rest = wildcardName(route.path);
  const changes = takesKey(route);
  const handle = handlerOf(route, context, { takesKey: changes });
  app.route({
    method: route.method,
    url: routerPath(route.path),
    schema: schemaOf(route),
    config: { route },
    ...(route.access !== "anyone" && { onRequest: credentialsHook(route, context) }),
    ...(isAudited(route) && { onSend: auditHook(route, context) }),
    ...(rest !== undefined && { preValidation: nameRest(rest) }),
    handler: async (request, reply) => {
      request.row = route;
      if (changes && !route.worksOnFullDisk) await refuseForSpace(route, request, context);
      if (status !== 200) reply.code(status);
      return handle(request, reply);
    },
  });
}

function refuseForSpace(route: Route, request: FastifyRequest, { disk }: ApiContext): Promise<void> {
  const bringsFiles = route.upload === true || maybeFormOf(request) !== undefined;
  return bringsFiles ? refuseFilesWhenLow(disk) : refuseWhenFull(disk);
}

/** Returns the status of the usual reply: by default the first success among the declared replies. */
export function successStatus(route: Route): number {
  if (route.usualStatus !== undefined) return route.usualStatus;
  return Number(Object.keys(route.schema.response).find((status) => status.startsWith("2")) ?? 200);
}

/** Returns the schemas that check the request and serialise the reply. Bytes are not serialised. */
function schemaOf(route: Route): Record<string, unknown> {
  const { response, ...request } = route.schema;
  return route.produces ? request : { ...request, response };
}

/** Renames the rest of a path, which the router calls `*`. */
function nameRest(name: string) {
  return (request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const { "*": rest, ...params } = request.params as Record<string, string>;
    request.params = { ...params, [name]: rest };
    done();
  };
}
