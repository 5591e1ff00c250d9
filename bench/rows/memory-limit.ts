import { readFile } from "node:fs/promises";
import path from "node:path";
import SqliteDatabase from "better-sqlite3";
import { untilRuns } from "../support/runs.ts";
import { removeFolder, startReprise, temporaryFolder, TOKEN } from "../support/server-process.ts";
import { atMost, median, type Row } from "../support/table.ts";

const JOBS = 10;
/** The limits of jobs are checked four times a second: the jobs start at different moments between two checks. */
const CHECK_SECONDS = 0.25;

/** Measures the time from the moment when a job starts to take too much memory until it has ended. */
export async function memoryLimit(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const server = await startReprise(folder);
  for (let count = 1; count <= JOBS; count += 1) {
    await startGreedy(server.url, (count / JOBS) * CHECK_SECONDS);
    await untilRuns(folder, "status = 'failed'", count);
  }
  const noticedMs = await timesToEnd(folder);
  await server.stop();
  await removeFolder(folder);
  const detail = `median ${median(noticedMs).toFixed(0)} ms`;
  return [
    atMost(`memory limit noticed, longest of ${JOBS}`, "–", Math.max(...noticedMs), 1000, "ms", detail),
  ];
}

/** Starts a job that waits, writes the time, then instantly takes 100 MB, above its limit of 64 MiB. */
async function startGreedy(url: string, afterSeconds: number): Promise<void> {
  const greedy = `sleep ${1 + afterSeconds}; date +%s%3N > began; (head -c 100000000 /dev/zero; sleep 1000) | tail`;
  const step = { commands: [greedy], kubernetes_memory_limit: "64Mi" };
  const post = async (route: string, body: object) => {
    const response = await fetch(`${url}/api/workflows${route}?access_token=${TOKEN}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { workflow_id: string };
  };
  const created = await post("", { workflow: { type: "serial", specification: { steps: [step] } } });
  await post(`/${created.workflow_id}/start`, {});
}

async function timesToEnd(folder: string): Promise<number[]> {
  const db = new SqliteDatabase(path.join(folder, "reprise.sqlite"), { readonly: true });
  const jobs = db.prepare(
    `SELECT workspace_id, jobs.finished_at FROM jobs JOIN runs ON runs.id = jobs.run_id
     WHERE jobs.reason = 'out-of-memory'`,
  );
  const rows = jobs.all() as { workspace_id: string; finished_at: number }[];
  db.close();
  const began = (workspace: string) => readFile(path.join(folder, "workspaces", workspace, "began"), "utf8");
  return Promise.all(rows.map(async (row) => row.finished_at - Number(await began(row.workspace_id))));
}
