import { Worker } from "node:worker_threads";
import { Refusal } from "#plumbing/errors";
import { fewAtOnce } from "#plumbing/few-at-once";
import { ownModule } from "#plumbing/own-module";
import type {
  ComparisonReply,
  ComparisonRequest,
  WorkspaceComparison,
} from "#workspace/comparison/comparison";

/**
 * Compares the files of two workspaces in a separate thread: reading gigabytes delays only its own client, and stops
 * when that client disconnects. Two run at the same time at most: each takes a processor and its share of memory.
 */
export type CompareWorkspaces = (
  request: ComparisonRequest,
  signal: AbortSignal,
) => Promise<WorkspaceComparison>;

const AT_ONCE = 2;
/** Enough for 100,000 names on each side, the reported differences, and two texts with their lines. */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 };

export function comparingFewAtOnce(): CompareWorkspaces {
  const inTurn = fewAtOnce(AT_ONCE);
  return (request, signal) =>
    inTurn(async () => {
      if (signal.aborted) throw brokenOff();
      return compareInThread(request, signal);
    });
}

async function compareInThread(
  request: ComparisonRequest,
  signal: AbortSignal,
): Promise<WorkspaceComparison> {
  const worker = new Worker(ownModule("#workspace/comparison/comparison-thread"), {
    workerData: request,
    resourceLimits: THREAD_MEMORY,
  });
  const end = () => void worker.terminate();
  signal.addEventListener("abort", end);
  try {
    const reply = await replyOf(worker);
    if ("refused" in reply) throw new Refusal("malformed", reply.refused);
    return reply;
  } catch (error) {
    throw signal.aborted ? brokenOff(error) : error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

function replyOf(worker: Worker): Promise<ComparisonReply> {
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    // After a reply this rejection has no effect.
    worker.once("exit", () => reject(new Error("The thread of the comparison ended without a result.")));
  });
}

function brokenOff(cause?: unknown): Refusal {
  const sentence =
    "The comparison was cancelled: the server is shutting down, or the client disconnected. Try again.";
  return new Refusal("unavailable", sentence, { cause });
}
