import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import { TOKEN } from "./server-process.ts";

const AT_ONCE = 16;

/** Creates and starts that many runs with one step that has these commands; answers their ids. */
export async function startRuns(url: string, count: number, commands: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  let begun = 0;
  const one = async () => {
    while (begun < count) {
      begun += 1;
      ids.push(await startRun(url, commands));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return ids;
}

async function startRun(url: string, commands: readonly string[]): Promise<string> {
  const specification = { workflow: { type: "serial", specification: { steps: [{ commands }] } } };
  const created = await fetch(`${url}/api/workflows?access_token=${TOKEN}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(specification),
  });
  const { workflow_id: id } = (await created.json()) as { workflow_id: string };
  const started = await fetch(`${url}/api/workflows/${id}/status?status=start&access_token=${TOKEN}`, {
    method: "PUT",
  });
  if (!started.ok) throw new Error(`A start was answered with ${started.status}: ${await started.text()}`);
  return id;
}

const LOOK_EVERY_MS = 5;
const GIVE_UP_AFTER_MS = 120_000;

/** Looks into the database of a running server until so many of its runs are as `where` says. */
export async function untilRuns(dataFolder: string, where: string, count: number): Promise<void> {
  const db = new SqliteDatabase(path.join(dataFolder, "reprise.sqlite"), { readonly: true });
  const total = db.prepare(`SELECT count(*) FROM workflows WHERE ${where}`).pluck();
  const beganAt = performance.now();
  try {
    while ((total.get() as number) < count) {
      if (performance.now() - beganAt > GIVE_UP_AFTER_MS) {
        throw new Error(`Only ${String(total.get())} of ${count} runs have come to "${where}".`);
      }
      await delay(LOOK_EVERY_MS);
    }
  } finally {
    db.close();
  }
}
