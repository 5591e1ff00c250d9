import { STATUS_CODES } from "node:http";
import swagger, { type FastifyDynamicSwaggerOptions as SwaggerOptions } from "@fastify/swagger";
import fastify, { type FastifyInstance } from "fastify";
import { successStatus } from "#api/add-endpoint";
import { documentPath } from "#api/paths";
import type { Endpoint } from "#api/route";
import { ROUTES } from "#api/routes";
import { Message, shared } from "#api/schemas";
import { SHARED_SCHEMAS } from "#api/shared-schemas";

/** Of the API, not of the program: `/api/ping` tells that one. */
const API_VERSION = "1";

interface Operation {
  requestBody?: { required: boolean; content: Record<string, unknown> };
  responses: Record<string, { description: string; content?: Record<string, { schema: unknown }> }>;
}

type Paths = Record<string, Record<string, Operation>>;

/**
 * The OpenAPI 3.1 document of the route table: made by a server that nobody listens to, so that the one that works
 * carries none of this. The same schemas check requests and serialise replies.
 */
export async function openApiDocument(routes: readonly Endpoint[] = ROUTES): Promise<object> {
  const app = fastify({ exposeHeadRoutes: false });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => () => "");
  for (const schema of SHARED_SCHEMAS) app.addSchema(schema);
  await app.register(swagger, {
    openapi: DOCUMENT,
    refResolver: { buildLocalReference: (schema) => schema.$id as string },
  });
  app.addHttpMethod("GET", { hasBody: true, overrideExisting: true });
  for (const endpoint of routes) describeEndpoint(app, endpoint);
  await app.ready();
  const document = JSON.parse(JSON.stringify(app.swagger())) as { paths: Paths };
  await app.close();
  for (const endpoint of routes) finish(endpoint, operationOf(document.paths, endpoint));
  return document;
}

const DOCUMENT = {
  openapi: "3.1.0",
  info: {
    title: "Reprise",
    version: API_VERSION,
    description:
      "Reproducible analysis workflows over REANA's REST API. Every reply that is not a success is a `Message`.",
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

function describeEndpoint(app: FastifyInstance, endpoint: Endpoint): void {
  const { schema, access, operation, summary } = endpoint;
  const error = shared(Message);
  app.route({
    method: endpoint.method,
    url: documentPath(endpoint.path),
    schema: {
      ...schema,
      operationId: operation,
      summary,
      tags: [tagOf(endpoint)],
      security: access === "anyone" ? [] : [{ access_token: [] }, { bearer: [] }],
      response: { ...schema.response, "4xx": error, "5xx": error },
    },
    handler: () => undefined,
  });
}

/** `/api/workflows/…` belongs to workflows; what has no noun, to the server. */
function tagOf(endpoint: Endpoint): string {
  const noun = endpoint.path.split("/")[2] ?? "";
  return ["workflows", "users", "admin"].includes(noun) ? noun : "server";
}

function operationOf(paths: Paths, endpoint: Endpoint): Operation {
  const path = endpoint.path.replace("*}", "}");
  return paths[path]![endpoint.method.toLowerCase()]!;
}

/** What the generator cannot know: bodies that may be absent, uploads, replies that are no JSON. */
function finish(endpoint: Endpoint, operation: Operation): void {
  if (operation.requestBody) operation.requestBody.required = false;
  if (endpoint.upload) operation.requestBody = UPLOAD;
  if (endpoint.form) {
    const form = { "multipart/form-data": { schema: JSON.parse(JSON.stringify(endpoint.form)) as unknown } };
    operation.requestBody = { required: false, content: { ...operation.requestBody?.content, ...form } };
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    if (response.description === "Default Response") response.description = STATUS_CODES[status] ?? "Success";
    if (endpoint.produces && status !== NOTHING && !status.endsWith("XX")) {
      const content = Object.values(response.content ?? {})[0] ?? { schema: {} };
      response.content = Object.fromEntries(endpoint.produces.map((type) => [type, content]));
    }
  }
  const json = operation.responses[String(successStatus(endpoint))]?.content?.["application/json"];
  if (json && endpoint.streamed)
    json.schema = { anyOf: [json.schema, JSON.parse(JSON.stringify(endpoint.streamed))] };
}

/** A reply without content. */
const NOTHING = "204";

const UPLOAD = {
  required: true,
  content: {
    "application/octet-stream": { schema: { type: "string", format: "binary" } },
    "multipart/form-data": {
      schema: { type: "object", properties: { file_content: { type: "string", format: "binary" } } },
    },
  },
};
