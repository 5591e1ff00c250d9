import { randomUUID } from "node:crypto";
import path from "node:path";
import SqliteDatabase from "better-sqlite3";

/** Gives every hundredth workflow to another user, who shares it with the administrator. */
export function shareRuns(dataFolder: string): void {
  const db = new SqliteDatabase(path.join(dataFolder, "reprise.sqlite"));
  const [reader, owner] = [
    db.prepare("SELECT id FROM users WHERE is_admin = 1").pluck().get() as string,
    randomUUID(),
  ];
  db.transaction(() => {
    db.prepare("INSERT INTO users (id, email, email_key, is_admin, created_at) VALUES (?, ?, ?, 0, 0)").run(
      owner,
      "owner@example.org",
      "owner@example.org",
    );
    const { changes } = db.prepare("UPDATE runs SET owner_id = ? WHERE seq % 100 = 0").run(owner);
    db.prepare("UPDATE run_counts SET total = total - ? WHERE owner_id = ?").run(changes, reader);
    db.prepare("INSERT INTO run_counts (owner_id, status, total) VALUES (?, 'finished', ?)").run(
      owner,
      changes,
    );
    db.prepare(
      `INSERT INTO run_shares (grantee_id, run_seq, owner_id, shared_at)
       SELECT ?, seq, owner_id, 0 FROM runs WHERE owner_id = ?`,
    ).run(reader, owner);
  })();
  db.close();
}

/** Fills the database of a stopped server with finished workflows of its administrator. */
export function seedRuns(dataFolder: string, count: number): void {
  const db = new SqliteDatabase(path.join(dataFolder, "reprise.sqlite"));
  const owner = db.prepare("SELECT id FROM users WHERE is_admin = 1").pluck().get() as string;
  const workspace = db.prepare("INSERT INTO workspaces (id, owner_id, created_at) VALUES (?, ?, ?)");
  const workflow = db.prepare(
    `INSERT INTO runs (id, owner_id, workspace_id, name, run_major, run_minor, status, language, jobs_total,
       jobs_finished, created_at, queued_at, started_at, finished_at)
     VALUES (?, ?, ?, ?, ?, 0, 'finished', 'serial', 1, 1, ?, ?, ?, ?)`,
  );
  const definition = db.prepare(
    `INSERT INTO run_definitions (run_seq, listed_parameters, specification, input_parameters, operational_options)
     VALUES (?, '', ?, '{}', '{}')`,
  );
  const specification = JSON.stringify({
    workflow: { type: "serial", specification: { steps: [{ commands: ["true"] }] } },
  });
  db.transaction(() => {
    for (let index = 0; index < count; index += 1) {
      const workspaceId = randomUUID();
      const at = 1_700_000_000_000 + index;
      workspace.run(workspaceId, owner, at);
      const run = Math.floor(index / 100) + 1;
      const name = `analysis-${index % 100}`;
      const { lastInsertRowid } = workflow.run(randomUUID(), owner, workspaceId, name, run, at, at, at, at);
      definition.run(lastInsertRowid, specification);
    }
    db.prepare("INSERT INTO run_counts (owner_id, status, total) VALUES (?, 'finished', ?)").run(
      owner,
      count,
    );
  })();
  db.close();
}
