import type { ListedJob } from "#backends/record/place";
import { toWireTime } from "#plumbing/clock";
import type { Claim } from "#backends/record/record-text";
import type { EndReason } from "#workflow/job/job";

/** The facts known about a job without a recorded end. */
export interface Evidence {
  readonly place: string;
  readonly claim: Claim;
  /** The jobs of the name in a listing that began after the job was sent. */
  readonly listed: readonly ListedJob[];
  /** True if the listing also has jobs that ended, and the nodes. */
  readonly isWhole: boolean;
  readonly silentNodes: ReadonlyMap<string, string>;
  readonly answeringNodes?: ReadonlySet<string> | undefined;
  readonly absentNode?: string | undefined;
  /** Time of the first listing in a row without an answer of the job's node. */
  readonly silentSinceMs?: number | undefined;
  /** Set if the listing is from another cluster than the job was sent to. */
  readonly otherCluster?: string | undefined;
}

/**
 * - queued, running: the state of the job;
 * - unclear: only a whole listing can decide;
 * - forgotten: the cluster does not know a job that has not started. A second submission does no harm;
 * - refused: the job can be claimed for nobody, if its supervisor has not claimed it at this very moment;
 * - lost: the supervisor has gone without recording an end.
 */
export type Finding =
  | { readonly is: "queued"; readonly reason: string }
  | RunningFinding
  | { readonly is: "unclear" }
  | { readonly is: "forgotten"; readonly sentence: string }
  | RefusedFinding
  | LostFinding;

export interface RefusedFinding {
  readonly is: "refused";
  readonly sentence: string;
  /** Set if the script ended without a claim: its node could not use the record. */
  readonly onNode?: string;
}

export interface LostFinding {
  readonly is: "lost";
  readonly startedAtMs: number | null;
  readonly sentence: string;
  /** Set if the cluster knows why the job ended. */
  readonly reason?: EndReason | undefined;
}

export interface RunningFinding {
  readonly is: "running";
  readonly startedAtMs?: number | undefined;
  /** Why nobody can say whether the job still runs. */
  readonly concern?: string | undefined;
  /** True if an administrator who knows more may declare the job lost. */
  readonly isInDoubt?: true;
}

/**
 * Judges a job without a recorded end, by the record first and the cluster second. A cluster that has forgotten or given
 * up a job proves nothing about its processes: without the word of the node, there is no verdict.
 */
export function judge(evidence: Evidence): Finding {
  const { claim, listed, isWhole, place, otherCluster } = evidence;
  if (otherCluster !== undefined) return elsewhere(evidence, otherCluster);
  const own = listedOwner(claim, listed);
  const state = own?.phase;
  if (claim === "none" || claim === "nobody") {
    if (state === "waiting") return { is: "queued", reason: own!.sentence };
    if (state === "active") return { is: "queued", reason: `${place} is starting the job` };
    if (state === "hopeless") return { is: "refused", sentence: own!.sentence };
    if (!isWhole) return { is: "unclear" };
    if (!own) return { is: "forgotten", sentence: `${place} does not know the job any more.` };
    const onNode = own.endedItself && { onNode: own.node === undefined ? "A node" : `The node ${own.node}` };
    return { is: "refused", sentence: own.sentence, ...onNode };
  }
  const started = claim === "unknown" ? {} : { startedAtMs: claim.startedAtMs };
  if (state === "active" || state === "hopeless")
    return { is: "running", ...started, ...(own!.concern !== undefined && { concern: own!.concern }) };
  // The cluster has not heard of the start: perhaps the node went silent before it could report.
  if (!isWhole) return { is: "unclear" };
  const silent = state === "gone" ? undefined : silence(evidence);
  if (state === "waiting" && silent === undefined) return { is: "running", ...started };
  if (silent !== undefined) return { is: "running", ...started, concern: silent, isInDoubt: true };
  const how = own?.sentence ?? `${place} does not know the job any more.`;
  const lost = { is: "lost", startedAtMs: started.startedAtMs ?? null } as const;
  if (own?.reason !== undefined) return { ...lost, sentence: own.sentence, reason: own.reason };
  return {
    ...lost,
    sentence: `The supervisor of the job ended without recording how the job ended. ${how}`,
  };
}

function elsewhere({ place, claim }: Evidence, cluster: string): Finding {
  const sentence = `${place} now speaks to the cluster ${cluster}, and the job is on another one`;
  if (claim === "none" || claim === "nobody") return { is: "queued", reason: sentence };
  return { is: "running", concern: `${sentence}.` };
}

/** The claimant counts. Without one, the job that came furthest counts. */
function listedOwner(claim: Claim, listed: readonly ListedJob[]): ListedJob | undefined {
  if (typeof claim === "object" && claim.outsideId !== undefined)
    return listed.find(({ outsideId }) => outsideId === claim.outsideId);
  const furthest = ["active", "waiting", "hopeless", "unknown", "over", "gone"];
  return listed.toSorted((one, other) => furthest.indexOf(one.phase) - furthest.indexOf(other.phase))[0];
}

/** Returns a sentence if nobody can say whether the processes of the job are gone. */
function silence(evidence: Evidence): string | undefined {
  const { claim, listed, silentNodes, answeringNodes, absentNode, silentSinceMs, place } = evidence;
  const node = typeof claim === "object" ? claim.node : undefined;
  const state =
    node === undefined ? undefined : (silentNodes.get(node) ?? absence(node, answeringNodes, absentNode));
  const since =
    silentSinceMs === undefined ? "" : ` since ${toWireTime(silentSinceMs).replace("T", " ")} UTC`;
  if (state !== undefined)
    return `The node ${node} of the job has been silent${since} (${place} says: ${state}). The job may still run there.`;
  const own = listedOwner(claim, listed);
  const isGivenUp = own?.phase === "unknown" && (node === undefined || silentNodes.size > 0);
  return isGivenUp ? `${own.sentence} No node has confirmed that the job is gone.` : undefined;
}

function absence(
  node: string,
  answering: ReadonlySet<string> | undefined,
  word = "no such node",
): string | undefined {
  return answering?.has(node) === false ? word : undefined;
}
