import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "#plumbing/clock";
import { type Hashed, maybeHash } from "#workspace/results/hash-file";

/** A request to hash files in a separate thread. The thread reports in groups, because it may be ended early. */
export interface HashRequest {
  readonly folder: string;
  readonly names: readonly string[];
  readonly hasSketches: boolean;
}

/** Hashed files; files that are gone or cannot be read are left out. */
export type HashedFiles = readonly (readonly [name: string, hashed: Hashed])[];

const TOLD_EVERY_MS = 100;

function* hashAll({ folder, names, hasSketches }: HashRequest): Generator<HashedFiles> {
  let group: [string, Hashed][] = [];
  let toldAtMs = systemClock.elapsedMs();
  for (const name of names) {
    const hashed = maybeHash(folder, name, hasSketches);
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
