import * as nodeModule from "node:module";
import fastify from "fastify";

/**
 * A Fastify server that loads the given module with its imports, and serves ping. It caches compiled code
 * like the real server.
 */
process.on("SIGTERM", () => process.exit(0));
nodeModule.enableCompileCache(process.argv[3]);
await import(process.argv[2]!);
const app = fastify();
app.get("/api/ping", async () => ({ message: "OK", status: "200" }));
console.log(await app.listen({ port: 0, host: "127.0.0.1" }));
