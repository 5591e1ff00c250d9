import fastify from "fastify";

/** The smallest server with the same response as /api/ping. */
const schema = {
  response: {
    200: {
      type: "object",
      properties: {
        message: { type: "string" },
        status: { type: "string" },
        reana_server_version: { type: "string" },
        api_capabilities: { type: "array", items: { type: "string" } },
      },
    },
  },
};
const app = fastify();
app.get("/api/ping", { schema }, async () => ({
  message: "OK",
  status: "200",
  reana_server_version: "0.1.0",
  api_capabilities: ["workflow-specification-bundles-v1"],
}));
console.log(await app.listen({ port: 0, host: "127.0.0.1" }));
