import { randomUUID } from "node:crypto";
import SqliteDatabase from "better-sqlite3";
import fastify from "fastify";

/**
 * A Fastify server that stores requests: one insert per request, with the journal mode of the real server;
 * `FULL` syncs each.
 */
const db = new SqliteDatabase(process.argv[2]);
db.pragma("journal_mode = WAL");
db.pragma(`synchronous = ${process.argv[3] ?? "NORMAL"}`);
db.exec("CREATE TABLE workflows (id TEXT PRIMARY KEY, name TEXT, specification TEXT, created_at INTEGER)");
const insert = db.prepare("INSERT INTO workflows VALUES (?, ?, ?, ?)");
const app = fastify();
app.post("/api/workflows", async (request, reply) => {
  const id = randomUUID();
  insert.run(id, "w", JSON.stringify(request.body), Date.now());
  return reply
    .code(201)
    .send({ message: "Workflow workspace created", workflow_id: id, workflow_name: "w.1" });
});
console.log(await app.listen({ port: 0, host: "127.0.0.1" }));
