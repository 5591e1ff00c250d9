import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { MEMORY_DISK } from "./chain.ts";
import { commandLinesWith, commandLineWith, shellCommand } from "../support/command-line.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { runsOf } from "../support/runs.ts";
import { removeFolder, startReprise, temporaryFolder } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const JOBS = 1000;
/** Found again in the list of processes. */
const WAITING = "sleep 1000.25";

/** Measures 1,000 jobs `true` in the sandbox, against a shell that starts bubblewrap with equal options. */
export async function sandbox(): Promise<Row[]> {
  const folder = await temporaryFolder(MEMORY_DISK);
  const environment = { REPRISE_SANDBOX: "bubblewrap" };
  const server = await startReprise(path.join(folder, "data"), { environment });
  const runs = runsOf(server);
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
  const { words } = await commandLineWith("bwrap", WAITING);
  return words.slice(0, words.indexOf("--"));
}

function endWaiting(): void {
  for (const { pid } of commandLinesWith("bwrap", WAITING)) process.kill(pid, "SIGKILL");
}

function shellLoop(options: readonly string[], filter: string): string {
  return `for ((i = 0; i < ${JOBS}; i++)); do ${shellCommand(options)} -- true 9< '${filter}'; done\n`;
}
