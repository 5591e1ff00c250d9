import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { MEMORY_DISK } from "./chain.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { runsOf } from "../support/runs.ts";
import { removeFolder, startReprise, temporaryFolder } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const JOBS = 1000;
/** Found again in the list of processes. */
const WAITING = "sleep 1000.25";

/** Measures 1,000 jobs `true` in the sandbox against a shell that starts bubblewrap with the same options. */
export async function sandbox(): Promise<Row[]> {
  const folder = await temporaryFolder(MEMORY_DISK);
  const environment = { REPRISE_SANDBOX: "bubblewrap" };
  const server = await startReprise(path.join(folder, "data"), { environment });
  const runs = runsOf(server.url);
  const waiting = await runs.create([WAITING]);
  await runs.start(waiting);
  const loop = path.join(folder, "loop.sh");
  writeFileSync(
    loop,
    shellLoop(await optionsOfBubblewrap(), path.join(folder, "data/jobs/sandbox/call-filter")),
  );
  let finished = 0;
  const ours = async () => {
    const run = await runs.create(Array.from({ length: JOBS }, () => "true"));
    const beganAt = performance.now();
    await runs.start(run);
    await runs.reach("finished", (finished += 1));
    return performance.now() - beganAt;
  };
  const theirs = async () => {
    const beganAt = performance.now();
    execFileSync("bash", [loop]);
    return performance.now() - beganAt;
  };
  const { ratio, detail } = await ratioInTurns(ours, theirs, 3);
  await server.stop();
  endWaiting();
  await removeFolder(folder);
  const what = "1,000 jobs `true` in the sandbox, one after the other, ms";
  return [atMost(what, "a shell loop of `bwrap` with the same options", ratio, 1.5, "×", detail)];
}

/** Returns the command line of the waiting job's sandbox, without the command. */
async function optionsOfBubblewrap(): Promise<readonly string[]> {
  for (;;) {
    const [line] = waitingLines();
    if (line) return line.words.slice(0, line.words.indexOf("--"));
    await delay(20);
  }
}

function waitingLines() {
  const lines = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), words: wordsOf(pid) }));
  return lines.filter(({ words }) => words[0]?.endsWith("bwrap") && words.join(" ").includes(WAITING));
}

function wordsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return []; // the process has ended
  }
}

function endWaiting(): void {
  for (const { pid } of waitingLines()) process.kill(pid, "SIGKILL");
}

function shellLoop(options: readonly string[], filter: string): string {
  const words = options.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return `for ((i = 0; i < ${JOBS}; i++)); do ${words} -- true 9< '${filter}'; done\n`;
}
