import { createHash } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import SqliteDatabase from "better-sqlite3";

/** The same two queries as the list of workflows (the owner of the token, and the rows), and JSON.stringify. */
const db = new SqliteDatabase(process.argv[2], { readonly: true });
const user = db.prepare(
  `SELECT users.id, users.email, users.disabled_at, tokens.revoked_at
   FROM tokens INNER JOIN users ON users.id = tokens.user_id WHERE tokens.hash = ?`,
);
const rows = db.prepare(
  `SELECT id, name, run_major, run_minor, status, launcher_url, created_at, started_at, finished_at, stopped_at
   FROM runs WHERE owner_id = ? AND status != 'deleted' ORDER BY seq DESC LIMIT ?`,
);

interface RunRow {
  id: string;
  name: string;
  run_major: number;
  status: string;
  launcher_url: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  stopped_at: number | null;
}

const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().slice(0, 19));

const server = http.createServer((request, response) => {
  const query = new URL(request.url!, "http://localhost").searchParams;
  const hash = createHash("sha256").update(query.get("access_token")!).digest("hex");
  const owner = user.get(hash) as { id: string; email: string };
  const items = (rows.all(owner.id, Number(query.get("size"))) as RunRow[]).map((row) => ({
    id: row.id,
    name: `${row.name}.${row.run_major}`,
    status: row.status,
    user: owner.id,
    created: time(row.created_at),
    launcher_url: row.launcher_url,
    owner_email: owner.email,
    shared_with: [],
    services: [],
    progress: {
      run_started_at: time(row.started_at),
      run_finished_at: time(row.finished_at),
      run_stopped_at: time(row.stopped_at),
    },
    size: { raw: -1, human_readable: "" },
  }));
  const body = JSON.stringify({ items, total: items.length, page: 1, has_prev: false, has_next: true });
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
