import Type from "typebox";
import { endpoint } from "#api/http/route";

export const getDocsEndpoint = endpoint({
  method: "GET",
  path: "/api/docs",
  operation: "get-docs",
  summary: "This API as a page to read",
  access: "anyone",
  produces: ["text/html"],
  schema: { response: { 200: Type.String() } },
  async handle(context, _request, reply) {
    const { page, policy } = await context.docs();
    reply.header("content-security-policy", policy).header("x-content-type-options", "nosniff");
    reply.header("referrer-policy", "no-referrer");
    return reply.type("text/html; charset=utf-8").send(page);
  },
});
