import { readFileSync } from "node:fs";
import fastify from "fastify";

/**
 * A Fastify server that repeats the responses of another server. It serializes stored values for each
 * request.
 */
const answers = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as Record<string, unknown>;
const app = fastify();
for (const [path, value] of Object.entries(answers)) app.get(path, async () => value);
console.log(await app.listen({ port: 0, host: "127.0.0.1" }));
