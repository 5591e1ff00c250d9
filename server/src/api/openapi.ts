import swagger, { type FastifyDynamicSwaggerOptions as SwaggerOptions } from "@fastify/swagger";
import fastify, { type FastifyInstance } from "fastify";
import { finishOperation, type Operation } from "#api/http/document/openapi-operation";
import { nameSchemas } from "#api/http/document/openapi-names";
import { documentPath } from "#api/http/paths";
import { refusalResponses } from "#api/http/document/refusals";
import type { Route } from "#api/http/endpoint";
import { ROUTES } from "#api/routes";

/** Version of the API. The version of the program is returned by `/api/ping`. */
const API_VERSION = "1";

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  components: object;
}

/**
 * Returns the OpenAPI 3.1 document of the route table. A separate server that does not listen generates the
 * document, which keeps the generator out of the real server. The same schemas check requests and serialise
 * replies.
 */
export async function openApiDocument(routes: readonly Route[] = ROUTES): Promise<object> {
  const app = fastify({ exposeHeadRoutes: false });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => () => "");
  await app.register(swagger, { openapi: DOCUMENT });
  for (const route of routes) describeEndpoint(app, route);
  await app.ready();
  const document = JSON.parse(JSON.stringify(app.swagger())) as Document;
  await app.close();
  for (const route of routes) finishOperation(route, operationOf(document, route));
  document.components = { ...document.components, responses: refusalResponses() };
  return nameSchemas(document);
}

const DOCUMENT = {
  openapi: "3.1.0",
  info: {
    title: "Reprise",
    version: API_VERSION,
    description:
      "Reproducible analysis workflows over REANA's REST API. Every reply that is not a success is an " +
      "`Error`. Each operation lists the statuses that it can refuse with. A request that reaches no " +
      "operation is refused with 404, 405, 408, " +
      "414, 417, 421 or 431.",
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "/" }],
  components: {
    securitySchemes: {
      access_token: { type: "apiKey", in: "query", name: "access_token" },
      bearer: { type: "http", scheme: "bearer" },
    },
  },
} satisfies NonNullable<SwaggerOptions["openapi"]>;

function describeEndpoint(app: FastifyInstance, route: Route): void {
  const { schema, access, operation, summary } = route;
  app.route({
    method: route.method,
    url: documentPath(route.path),
    schema: {
      ...(schema.params && { params: schema.params }),
      ...(schema.querystring && { querystring: schema.querystring }),
      operationId: operation,
      summary,
      tags: [tagOf(route)],
      security: access === "anyone" ? [] : [{ access_token: [] }, { bearer: [] }],
      response: schema.response,
    },
    handler: () => undefined,
  });
}

/** Returns the tag of an endpoint: the noun in its path, or `server` if the path has no known noun. */
function tagOf(route: Route): string {
  const noun = route.path.split("/")[2] ?? "";
  return ["workflows", "users", "admin"].includes(noun) ? noun : "server";
}

function operationOf({ paths }: Document, route: Route): Operation {
  return paths[route.path.replace("*}", "}")]![route.method.toLowerCase()]!;
}
