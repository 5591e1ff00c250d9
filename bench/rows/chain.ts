import path from "node:path";
import { pathToFileURL } from "node:url";
import { make, makefile, recordingRecipe } from "../support/make.ts";
import { ratioOfBest } from "../support/rounds.ts";
import { runsOf } from "../support/runs.ts";
import { removeFolder, startReprise, temporaryFolder } from "../support/server-process.ts";
import { atMost, type Row, shown } from "../support/table.ts";

const JOBS = 1000;
export const MEMORY_DISK = "/dev/shm";
const BALLAST = pathToFileURL(path.join(import.meta.dirname, "..", "support", "ballast.ts")).href;

/** Measures 1,000 consecutive jobs `true` in one serial run of the real server, against GNU make. */
export async function chain(): Promise<Row[]> {
  const asItIs = await compare(MEMORY_DISK, [], () => "true");
  const grown = await compare(MEMORY_DISK, ["--import", BALLAST], () => "true");
  const disk = await compare(undefined, [], recordingRecipe);
  const what = "1,000 jobs `true`, one after the other, ms";
  return [
    atMost(what, "GNU make", asItIs.ratio, 4, "×", asItIs.detail),
    atMost(`${what}, by a server of 300 MB`, "GNU make", grown.ratio, 4, "×", grown.detail),
    shown(`${what}, on a disk`, "GNU make that writes the same files", disk.ratio, disk.detail),
  ];
}

async function compare(
  disk: string | undefined,
  flags: readonly string[],
  recipe: (index: number) => string,
): Promise<{ ratio: number; detail: string }> {
  const folder = await temporaryFolder(disk);
  const server = await startReprise(path.join(folder, "data"), { flags });
  const runs = runsOf(server);
  const file = makefile(path.join(folder, "make"), JOBS, recipe);
  let finished = 0;
  const ours = async () => {
    const run = await runs.create(Array.from({ length: JOBS }, () => "true"));
    const beganAt = performance.now();
    await runs.start(run);
    await runs.reach("finished", (finished += 1));
    return performance.now() - beganAt;
  };
  const result = await ratioOfBest(ours, async () => make(file));
  await server.stop();
  await removeFolder(folder);
  return result;
}
