import Type from "typebox";
import { endpoint } from "#api/http/endpoint";

export const getOpenApiEndpoint = endpoint({
  operation: "get-open-api",
  summary: "Show this API as an OpenAPI document",
  access: "anyone",
  schema: { response: { 200: Type.Object({}, { description: "An OpenAPI 3.1 document." }) } },
  handle: async (context, _request, reply) => {
    const document = Buffer.from(await context.openApi());
    return reply.type("application/json; charset=utf-8").send(document);
  },
});

export const getDocsEndpoint = endpoint({
  operation: "get-docs",
  summary: "Show this API as a web page",
  access: "anyone",
  produces: ["text/html"],
  schema: { response: { 200: Type.String() } },
  async handle(context, _request, reply) {
    const { page, policy } = await context.docs();
    reply.header("content-security-policy", policy).header("referrer-policy", "no-referrer");
    return reply.type("text/html; charset=utf-8").send(page);
  },
});
