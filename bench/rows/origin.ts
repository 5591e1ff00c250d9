import { createHash } from "node:crypto";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import { ratioInTurns } from "../support/rounds.ts";
import { runsOf } from "../support/runs.ts";
import { seedRuns } from "../support/seed.ts";
import { removeFolder, startBare, startReprise, temporaryFolder, TOKEN } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";
import { timesAlone } from "../support/wrk.ts";

const RUNS = 10_000;
const FILES_OF_RUN = 100;
const OUTPUTS = 10_000;
const WRITE = `mkdir out; seq ${OUTPUTS} | split -l 1 -a 4 -d - out/`;

/** Looks files up among 1,000,000 of 10,000 runs. */
export async function origin(): Promise<Row[]> {
  const folder = await temporaryFolder();
  await (await startReprise(folder)).stop();
  seedRuns(folder, RUNS);
  seedFiles(folder);
  const server = await startReprise(folder);
  const bare = await startBare("look-up", [path.join(folder, "reprise.sqlite")]);
  const key = `${bare.url}/?run=${RUNS / 2}&position=50&access_token=${TOKEN}`;
  const rows: Row[] = [];
  for (const [what, digest] of [
    ["of a file", digestOf(RUNS / 2, 50)],
    ["of an absent file", digestOf(0, 0)],
  ] as const) {
    const url = `${server.url}/api/origin?sha256=${digest}&access_token=${TOKEN}`;
    const times: number[] = [];
    const ours = async () => times[times.push((await timesAlone(folder, url)).p50Ms) - 1]!;
    const { ratio } = await ratioInTurns(ours, async () => (await timesAlone(folder, key)).p50Ms);
    const slowest = Math.max(...times);
    const name = `origin ${what} among 1,000,000, p50`;
    rows.push(atMost(name, "a look-up by primary key", ratio, 3, "×", `at most ${slowest.toFixed(2)} ms`));
    rows.push(atMost(name, "–", slowest, 50, "ms"));
  }
  await Promise.all([server.stop(), bare.stop()]);
  await removeFolder(folder);
  return rows;
}

function digestOf(run: number, position: number): string {
  return createHash("sha256").update(`${run} ${position}`).digest("hex");
}

/** Gives each run of a stopped server an index of files. */
function seedFiles(dataFolder: string): void {
  const db = new SqliteDatabase(path.join(dataFolder, "reprise.sqlite"));
  const runs = db.prepare("SELECT seq, owner_id FROM runs ORDER BY seq").all() as Seeded[];
  const file = db.prepare(
    `INSERT INTO run_files (run_seq, position, owner_id, path, name, bytes, sha256, role)
     VALUES (?, ?, ?, ?, ?, 1000, ?, 'output')`,
  );
  db.transaction(() => {
    for (const { seq, owner_id: owner } of runs)
      for (let position = 0; position < FILES_OF_RUN; position += 1)
        file.run(seq, position, owner, `out/${position}`, `${position}`, digestOf(seq, position));
    db.exec("UPDATE runs SET indexed_at = 1");
  })();
  db.exec("ANALYZE");
  db.close();
}

interface Seeded {
  readonly seq: number;
  readonly owner_id: string;
}

/** Runs a step with 10,000 outputs while the run before is indexed, and while nothing is indexed. */
export async function originIndex(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const server = await startReprise(folder);
  const runs = runsOf(server);
  const workflow = { type: "serial", specification: { steps: [{ name: "write", commands: [WRITE] }] } };
  let finished = 0;
  const run = async () => {
    const id = await runs.createFrom(workflow, { outputs: { directories: ["out"] } });
    const beganAt = performance.now();
    await runs.start(id);
    await runs.reach("finished", (finished += 1));
    return performance.now() - beganAt;
  };
  const pending = async () => {
    const url = `${server.url}/api/origin?sha256=${digestOf(0, 0)}&access_token=${TOKEN}`;
    return ((await (await fetch(url)).json()) as { pending_runs: number }).pending_runs;
  };
  const alone = async () => {
    while ((await pending()) > 0) await delay(100);
    return run();
  };
  const { ratio, detail } = await ratioInTurns(run, alone);
  await server.stop();
  await removeFolder(folder);
  const name = "a run of 10,000 outputs while one is indexed, ms";
  return [atMost(name, "the run alone", ratio, 1.1, "×", detail)];
}
