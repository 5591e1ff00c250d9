import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { make, makefile } from "../support/make.ts";
import { ratioOfBest } from "../support/rounds.ts";
import { type Runs, runsOf } from "../support/runs.ts";
import { removeFolder, startReprise, temporaryFolder } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";
import { MEMORY_DISK } from "./chain.ts";

const RUNS = 1000;
const AT_ONCE = os.availableParallelism();

/** Measures 1,000 runs of one job `true` each, all queued before the first starts. */
export async function queuedRuns(): Promise<Row[]> {
  const measured = await withQueue(async (through) => {
    const folder = await temporaryFolder(MEMORY_DISK);
    const file = makefile(folder, RUNS, () => "true");
    const result = await ratioOfBest(through, async () => make(file, AT_ONCE));
    await removeFolder(folder);
    return result;
  });
  const what = `1,000 runs of one job, queued at once, ${AT_ONCE} at a time, ms`;
  return [atMost(what, "GNU make with as many at once", measured.ratio, 4.5, "×", measured.detail)];
}

/**
 * Passes the function `through` to `measure`. `through` fills the queue of a real server and returns the
 * milliseconds to empty the queue.
 */
async function withQueue<Result>(
  measure: (through: () => Promise<number>) => Promise<Result>,
): Promise<Result> {
  const folder = await temporaryFolder(MEMORY_DISK);
  const server = await startReprise(path.join(folder, "data"));
  const runs = runsOf(server);
  let finished = 0;
  const through = async () => {
    const ids = await times(RUNS, () => runs.create(["true"]));
    const gate = await closeGate(runs, folder, finished);
    for (const id of ids) await runs.start(id);
    const beganAt = performance.now();
    await writeFile(gate, "");
    await runs.reach("finished", (finished += RUNS + AT_ONCE));
    return performance.now() - beganAt;
  };
  const result = await measure(through);
  await server.stop();
  await removeFolder(folder);
  return result;
}

/** Starts runs that occupy the server until a file exists. Later runs wait in the queue. */
async function closeGate(runs: Runs, folder: string, round: number): Promise<string> {
  const gate = path.join(folder, `gate-${round}`);
  if (existsSync(gate)) throw new Error(`${gate} is there already.`);
  const keepers = await times(AT_ONCE, () => runs.create([`until [ -e ${gate} ]; do sleep 0.01; done`]));
  for (const keeper of keepers) await runs.start(keeper);
  await runs.reach("running", AT_ONCE);
  return gate;
}

async function times<Made>(count: number, one: () => Promise<Made>): Promise<Made[]> {
  const made: Made[] = [];
  for (let index = 0; index < count; index += 1) made.push(await one());
  return made;
}
