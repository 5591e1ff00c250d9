import { parentPort, workerData } from "node:worker_threads";
import { Refusal } from "#plumbing/errors";
import { compareFolders } from "#workspace/comparison/compare-folders";
import type { ComparisonReply, ComparisonRequest } from "#workspace/comparison/comparison";

/** Runs one comparison, after which the thread ends. Any error except a refusal ends the thread. */
function answer(request: ComparisonRequest): ComparisonReply {
  try {
    return compareFolders(request);
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message };
    throw error;
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread's port is no window.
parentPort!.postMessage(answer(workerData as ComparisonRequest));
