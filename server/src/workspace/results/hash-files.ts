import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "#plumbing/clock";
import { type Hashed, maybeHash } from "#workspace/results/hash-file";

/** Hashes files in a thread of its own and tells of them in groups, because the thread may be ended on the way. */
export interface HashRequest {
  readonly folder: string;
  readonly names: readonly string[];
}

/** Without those that are gone or cannot be read. */
export type HashedFiles = readonly (readonly [name: string, hashed: Hashed])[];

const TOLD_EVERY_MS = 100;

function* hashAll({ folder, names }: HashRequest): Generator<HashedFiles> {
  let group: [string, Hashed][] = [];
  let toldAtMs = systemClock.elapsedMs();
  for (const name of names) {
    const hashed = maybeHash(folder, name);
    if (hashed) group.push([name, hashed]);
    if (systemClock.elapsedMs() - toldAtMs < TOLD_EVERY_MS) continue;
    yield group;
    group = [];
    toldAtMs = systemClock.elapsedMs();
  }
  yield group;
}

for (const group of hashAll(workerData as HashRequest)) {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread's port is no window.
  parentPort!.postMessage(group);
}
