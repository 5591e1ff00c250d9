import { parentPort, workerData } from "node:worker_threads";
import type { PairsRequest } from "#workspace/equivalence/file-pair";
import { judgePair } from "#workspace/equivalence/judge-pair";

/** Judges pairs one by one, and reports each: a file that needs too much memory ends the thread. */
const request = workerData as PairsRequest;
for (const pair of request.pairs) {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread's port is no window.
  parentPort!.postMessage(judgePair(request, pair));
}
