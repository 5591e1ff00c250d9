import { Worker } from "node:worker_threads";
import { Refusal } from "#plumbing/errors";
import { ownModule } from "#plumbing/own-module";
import type { PairsRequest, PairVerdict } from "#workspace/equivalence/file-pair";

/** Enough for the trees of two texts of 2 MiB. Files and pixels are outside of this memory. */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

/** Judges pairs of files in a thread, in their order. Rejects with a refusal if the signal aborts. */
export async function judgePairs(request: PairsRequest, signal: AbortSignal): Promise<PairVerdict[]> {
  if (request.pairs.length === 0) return [];
  if (signal.aborted) throw brokenOff();
  const verdicts: PairVerdict[] = [];
  const worker = new Worker(ownModule("#workspace/equivalence/judge-thread"), {
    workerData: request,
    resourceLimits: THREAD_MEMORY,
  });
  const end = () => void worker.terminate();
  signal.addEventListener("abort", end);
  try {
    await new Promise<void>((resolve, reject) => {
      worker.on("message", (verdict: PairVerdict) => void verdicts.push(verdict));
      worker.once("error", reject);
      worker.once("exit", () => resolve());
    });
  } finally {
    signal.removeEventListener("abort", end);
  }
  if (verdicts.length < request.pairs.length) throw brokenOff();
  return verdicts;
}

function brokenOff(): Refusal {
  return new Refusal(
    "unavailable",
    "The outputs were not compared to the end: the server is shutting down, or the client disconnected. Try again.",
  );
}
