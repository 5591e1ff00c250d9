import { createHash } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import SqliteDatabase from "better-sqlite3";

/** The owner of the token, one file of the index by its primary key, and JSON.stringify. */
const db = new SqliteDatabase(process.argv[2], { readonly: true });
const user = db.prepare(
  `SELECT users.id, users.email, users.disabled_at, tokens.revoked_at
   FROM tokens INNER JOIN users ON users.id = tokens.user_id WHERE tokens.hash = ?`,
);
const file = db.prepare("SELECT * FROM run_files WHERE run_seq = ? AND position = ?");

const server = http.createServer((request, response) => {
  const query = new URL(request.url!, "http://localhost").searchParams;
  const hash = createHash("sha256").update(query.get("access_token")!).digest("hex");
  const found = file.get(Number(query.get("run")), Number(query.get("position")));
  const body = JSON.stringify({ owner: user.get(hash), items: [found] });
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
