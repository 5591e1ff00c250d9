import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { folderOf } from "#backends/backend-fixture";
import { type ListedJob, nameOfJob, type Place } from "#backends/record/place";
import { Records } from "#backends/record/records";
import { RecordFiles } from "#backends/record/record-files";
import { Watch } from "#backends/record/watch";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";

const JOBS = 40;
const LISTINGS = 30;
const log = {
  error(details: object, message: string) {
    throw new Error(message, { cause: details });
  },
};

/** Watches jobs that wait in the queue of a cluster. */
async function waitingJobs() {
  const folder = await folderOf([]);
  const files = new RecordFiles(path.join(folder, "records"));
  files.open();
  const records = new Records(files, "Queue", systemClock);
  const ids = Array.from({ length: JOBS }, () => systemRandom.uuid());
  const waits = (index: number): ListedJob[] => [
    { outsideId: String(index), phase: "waiting", sentence: "no node is free" },
  ];
  const listed = new Map(ids.map((id, index) => [nameOfJob(id), waits(index)]));
  /** The state of the second job at the start of each listing. */
  const states: unknown[] = [];
  const list = async () => {
    states.push(watch.stateOf(ids[1]!));
    return { cluster: "queue", jobs: listed, silentNodes: new Map<string, string>() };
  };
  const place: Place = { name: "Queue", send: async () => "", end: async () => undefined, list };
  const times = { newsMs: 1_000_000, listMs: 5 };
  const watch = new Watch({ records, place, clock: systemClock, log, times });
  onTestFinished(() => watch.close());
  const read = vi.spyOn(records, "maybeUnsettledEnd");
  for (const id of ids) {
    files.put(id, () => undefined);
    watch.confirm(
      watch.track({ id, job: { commands: ["true"] }, workspaceFolder: folder, hostToken: "" } as never),
    );
  }
  return { ids, files, listed, read, states, watch };
}

test("the records of jobs that wait are not read in each listing", async () => {
  const { read, states } = await waitingJobs();
  await expect.poll(() => states.length).toBeGreaterThan(LISTINGS);
  // The confirmation, the first listing, a listing of the job's turn, and one in sixteen.
  expect(read.mock.calls.length).toBeLessThan(JOBS * (4 + states.length / 16));
});

test("a start without news is found after some listings", async () => {
  const { ids, files, watch } = await waitingJobs();
  await expect.poll(() => watch.stateOf(ids[0]!)).toMatchObject({ reason: "no node is free" });
  const claim = path.join(files.folderOf(ids[0]!), "claim");
  mkdirSync(claim);
  writeFileSync(path.join(claim, "owner"), "node n1\noutside 0\nstarted 1000\n.\n");
  await expect.poll(() => watch.stateOf(ids[0]!)).toMatchObject({ status: "running", startedAtMs: 1000 });
});

test("a changed reason of a waiting job is reported by the next listing", async () => {
  const { ids, listed, states } = await waitingJobs();
  await expect.poll(() => states.length).toBeGreaterThan(LISTINGS);
  listed.set(nameOfJob(ids[1]!), [{ outsideId: "1", phase: "waiting", sentence: "somebody holds the job" }]);
  const before = states.length;
  await expect.poll(() => states.length).toBeGreaterThan(before + 2);
  expect(states[before + 2]).toMatchObject({ reason: "somebody holds the job" });
});
