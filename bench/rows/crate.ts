import { execFileSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import SqliteDatabase from "better-sqlite3";
import { ratioInTurns } from "../support/rounds.ts";
import {
  peakMemoryMb,
  removeFolder,
  startReprise,
  temporaryFolder,
  TOKEN,
} from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";
import { runsOf } from "../support/runs.ts";

const JOBS = 10_000;
const FILES = 10_000;
/** Writes files of 10 KB that deflate to about three quarters. */
const WRITE = `python3 -c "
import os
os.mkdir('out')
for i in range(${FILES}):
    open(f'out/{i}', 'w').write(os.urandom(5000).hex())
"`;

/** Packs a run of 10,000 jobs and 10,000 outputs as a crate. The same files are packed by \`zip\`. */
export async function crate(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const first = await startReprise(folder);
  const runs = runsOf(first);
  const steps = [{ name: "write", commands: [WRITE] }];
  const outputs = { directories: ["out"] };
  const run = await runs.createFrom({ type: "serial", specification: { steps } }, { outputs });
  await runs.start(run);
  await runs.reach("finished", 1);
  await first.stop();
  multiplyJobs(folder);
  const server = await startReprise(folder);
  const zip = path.join(folder, "crate.zip");
  const ours = () =>
    timed(async () => {
      const { body } = await fetch(`${server.url}/api/workflows/${run}/crate?access_token=${TOKEN}`);
      await pipeline(Readable.fromWeb(body! as never), createWriteStream(zip));
    });
  await ours();
  const peakMb = await peakMemoryMb(server.pid);
  const unpacked = path.join(folder, "unpacked");
  await mkdir(unpacked);
  execFileSync("unzip", ["-q", zip, "-d", unpacked]);
  const theirs = () =>
    timed(async () => {
      await rm(`${zip}.other`, { force: true });
      execFileSync("zip", ["-q", "-r", `${zip}.other`, "."], { cwd: unpacked });
    });
  const { ratio, detail } = await ratioInTurns(ours, theirs);
  const laterMb = await peakMemoryMb(server.pid);
  await server.stop();
  await removeFolder(folder);
  return [
    atMost(
      "crate of a run of 10,000 jobs and 10,000 outputs, ms",
      "`zip` of the same files",
      ratio,
      2,
      "×",
      detail,
    ),
    atMost(
      "the server's memory with one",
      "–",
      peakMb,
      250,
      "MB",
      `${Math.round(laterMb)} MB after seven in a row`,
    ),
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now();
  await work();
  return performance.now() - beganAt;
}

/** Gives the only run of a stopped server more jobs like its only one. */
function multiplyJobs(dataFolder: string): void {
  const db = new SqliteDatabase(path.join(dataFolder, "reprise.sqlite"));
  const names = (db.pragma("table_info(jobs)") as { name: string }[]).map(({ name }) => name);
  const changed: Record<string, string> = {
    id: "lower(hex(randomblob(16)))",
    ordinal: "n",
    key: "key || '/' || n",
  };
  const values = names.map((name) => changed[name] ?? name).join(", ");
  db.exec(
    `WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < ${JOBS - 1})
     INSERT INTO jobs (${names.join(", ")}) SELECT ${values} FROM jobs, more`,
  );
  db.close();
}
