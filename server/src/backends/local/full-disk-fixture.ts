import { closeSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import type { JobRequest } from "#backends/backend";
import { appears, jobOf, removeTree, watchEnds } from "#backends/backend-fixture";
import { readBootId } from "#backends/process/table/boot-id";
import { openLocalBackend } from "#backends/local/local-backend";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";

/**
 * Runs one scenario for full-disk.slow.test.ts, in a separate mount namespace and on a small disk that the
 * scenario may fill, and prints the result as JSON.
 */
const [scenario, disk, workspaceFolder] = process.argv.slice(2) as [string, string, string];

const reports: string[] = [];
const bootId = readBootId();
const backend = openLocalBackend({
  folder: path.join(disk, "jobs"),
  hostId: "full-disk",
  bootId,
  clock: systemClock,
  maxOutputBytes: 2 ** 30,
  removeTree,
  log: { error: (_: object, message: string) => void reports.push(message) },
});
const ends = watchEnds(backend);
const filler = path.join(disk, "filler");

/** Fills the disk to the last byte. */
function fill(): void {
  const file = openSync(filler, "a");
  const write = (size: number) => untilFull(() => writeSync(file, Buffer.alloc(size)));
  write(4096);
  write(1);
  closeSync(file);
}

function untilFull(step: (turn: number) => void): void {
  try {
    for (let turn = 0; ; turn += 1) step(turn);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
function empty(): void {
  rmSync(filler, { force: true });
}

/** Uses up the names that a file system can keep, not the space. */
function fillNames(): void {
  untilFull((turn) => closeSync(openSync(path.join(disk, `name-${turn}`), "w")));
}

function request(script: string): JobRequest {
  return { id: systemRandom.uuid(), job: jobOf(script), workspaceFolder, hostToken: bootId };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Makes sure that a free slot exists. */
async function runOne(): Promise<void> {
  const job = request("true");
  await backend.submit(job);
  await ends.of(job.id);
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => "none",
    (error: Error) => error.message,
  );

const SCENARIOS: Record<string, () => Promise<unknown>> = {
  async noFolder() {
    await runOne();
    fillNames();
    const job = request("echo ran >> ran");
    const refused = await failure(backend.submit(job));
    const cancelled = await failure(backend.cancel(job));
    for (let index = 0; index < 20; index += 1) rmSync(path.join(disk, `name-${index}`));
    const state = await backend.submit(job);
    return { refused, cancelled, state, end: await ends.of(job.id) };
  },
  async noRecord() {
    await runOne();
    fill();
    const job = request("echo ran >> ran");
    const state = await backend.submit(job);
    await until(() => reports.length > 0);
    const before = [...reports];
    empty();
    return { state, before, end: await ends.of(job.id) };
  },
  async fullMeanwhile() {
    const job = request("echo before; until [ -e full ]; do sleep 0.02; done; head -c 8192 /dev/zero");
    await backend.submit(job);
    await until(async () => String(await backend.readLog(job.id, 0, 100)) === "before\n");
    fill();
    writeFileSync(path.join(workspaceFolder, "full"), "");
    return { end: await ends.of(job.id), log: String(await backend.readLog(job.id, 0, 100_000)).slice(0, 7) };
  },
  async printsUntilFull() {
    const job = request("yes; echo $? > code");
    await backend.submit(job);
    return { end: await ends.of(job.id) };
  },
  async cancelledOnFull() {
    const job = request("echo up > up; sleep 1000");
    await backend.submit(job);
    await appears(path.join(workspaceFolder, "up"));
    fill();
    return { end: await backend.cancel(job) };
  },
};

const outcome = await SCENARIOS[scenario]!();
process.stdout.write(JSON.stringify({ outcome, reports }));
await backend.close();
