import { Refusal } from "#plumbing/errors";
import { ownModule } from "#plumbing/own-module";
import { runThread } from "#workspace/threads/run-thread";
import type { PairsRequest, PairVerdict } from "#workspace/equivalence/file-pair";

/** Enough for the trees of two texts of 2 MiB. Files and pixels are outside of this memory. */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

/** Judges pairs of files in a thread, in their order. Rejects with a refusal if the signal aborts. */
export async function judgePairs(request: PairsRequest, signal: AbortSignal): Promise<PairVerdict[]> {
  if (request.pairs.length === 0) return [];
  const module = ownModule("#workspace/equivalence/judge-thread");
  const verdicts = await runThread<PairVerdict>(module, { data: request, signal, memory: THREAD_MEMORY });
  if (verdicts.length < request.pairs.length) throw brokenOff();
  return verdicts;
}

function brokenOff(): Refusal {
  return new Refusal(
    "unavailable",
    "The outputs were not compared to the end: the server is shutting down, or the client disconnected. Try again.",
  );
}
