import Type from "typebox";
import { endpoint } from "#api/http/route";

export const getOpenApiEndpoint = endpoint({
  method: "GET",
  path: "/api/openapi.json",
  operation: "get-open-api",
  summary: "This document",
  access: "anyone",
  schema: { response: { 200: Type.Object({}, { description: "An OpenAPI 3.1 document." }) } },
  handle: async (context, _request, reply) => {
    const document = Buffer.from(await context.openApi());
    return reply.type("application/json; charset=utf-8").send(document);
  },
});
