import { Refusal } from "#plumbing/errors";
import { fewAtOnce } from "#plumbing/few-at-once";
import { ownModule } from "#plumbing/own-module";
import type {
  ComparisonReply,
  ComparisonRequest,
  WorkspaceComparison,
} from "#workspace/comparison/comparison";
import { runThread } from "#workspace/threads/run-thread";

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
  return (request, signal) => inTurn(() => compareInThread(request, signal));
}

async function compareInThread(
  request: ComparisonRequest,
  signal: AbortSignal,
): Promise<WorkspaceComparison> {
  const module = ownModule("#workspace/comparison/comparison-thread");
  const [reply] = await runThread<ComparisonReply>(module, { data: request, signal, memory: THREAD_MEMORY });
  if (!reply) throw brokenOff();
  if ("refused" in reply) throw new Refusal("malformed", reply.refused);
  return reply;
}

function brokenOff(): Refusal {
  const sentence =
    "The comparison was cancelled: the server is shutting down, or the client disconnected. Try again.";
  return new Refusal("unavailable", sentence);
}
