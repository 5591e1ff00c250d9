import { maybeTicketFailure } from "#backends/kubernetes/kerberos";
import {
  containerOf,
  HINT_ANNOTATION,
  type Pod,
  type PodCondition,
  type Waiting,
} from "#backends/kubernetes/pod";
import type { ListedJob } from "#backends/record/place";
import { printable } from "#plumbing/text/printable";
import { amountOfTime } from "#plumbing/text/duration";

type Phase = Omit<ListedJob, "outsideId">;

interface Times {
  readonly nowMs: number;
  /** How long an image may be pulled. */
  readonly pullMaxMs: number;
  /** Set if Kueue holds the Pod back. */
  readonly inQueue?: string | undefined;
}

/** Returns the state of a job by the status of a Pod. */
export function listedPod(pod: Pod, times: Times): ListedJob {
  return { outsideId: pod.metadata.name, ...phaseOf(pod, times) };
}

/** Returns the image in which a job runs. Without a digest, its node has yet to tell. */
export function imageOfPod(pod: Pod): { readonly digest: string | undefined } | undefined {
  const digest = /sha256:[0-9a-f]{64}$/.exec(containerOf(pod)?.imageID ?? "")?.[0];
  const isOver = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  return digest === undefined && isOver ? undefined : { digest };
}

function phaseOf(pod: Pod, times: Times): Phase {
  switch (pod.status?.phase) {
    case "Succeeded":
    case "Failed":
      return endedPhase(pod);
    case "Running":
      return runningPhase(pod);
    case "Unknown":
      return {
        phase: "unknown",
        sentence: "Kubernetes does not know whether the Pod of the job still runs.",
      };
    default:
      return pendingPhase(pod, times);
  }
}

function pendingPhase(pod: Pod, times: Times): Phase {
  if (pod.metadata.deletionTimestamp !== undefined)
    return { phase: "waiting", sentence: `Kubernetes removes the Pod of the job: ${whyRemoved(pod)}` };
  const gates = pod.spec?.schedulingGates ?? [];
  if (times.inQueue !== undefined) return { phase: "waiting", sentence: times.inQueue };
  if (gates.length > 0)
    return {
      phase: "waiting",
      sentence: `Kubernetes holds the job back (${gates.map(({ name }) => name).join(", ")})`,
    };
  const scheduled = conditionOf(pod, "PodScheduled");
  if (scheduled?.status === "False")
    return { phase: "waiting", sentence: `Kubernetes has no node for the job: ${said(scheduled.message)}` };
  const trouble = startTrouble(pod, times);
  if (trouble) return trouble;
  const node = pod.spec?.nodeName;
  const where = node === undefined ? "" : ` on the node ${node}`;
  return { phase: "waiting", sentence: `Kubernetes prepares the container of the job${where}` };
}

const IMAGE_TROUBLE =
  /^(ErrImage|ImagePull|ImageInspectError|InvalidImageName|RegistryUnavailable|SignatureValidationFailed)/;
const CONTAINER_TROUBLE = /^(CreateContainerConfigError|CreateContainerError|RunContainerError)$/;
/** Trouble that no further try can mend. */
const NEVER = /^(InvalidImageName|ErrImageNeverPull)$/;
/** A node of a shared disk may see the folders of a new job only after a while. */
const CONTAINER_MAX_MS = 5 * 60_000;

/** Returns what keeps a container from its start. The kubelet tries again for ever, so a limit is needed. */
function startTrouble(pod: Pod, { nowMs, pullMaxMs }: Times): Phase | undefined {
  const { reason = "", message } = waitingOf(pod);
  const isImage = IMAGE_TROUBLE.test(reason);
  if (!isImage && !CONTAINER_TROUBLE.test(reason)) return undefined;
  const maxMs = NEVER.test(reason) ? 0 : isImage ? pullMaxMs : CONTAINER_MAX_MS;
  const sinceMs = Date.parse(conditionOf(pod, "PodScheduled")?.lastTransitionTime ?? "");
  const what = isImage ? "get the image of the job" : "make the container of the job";
  const why = `(${reason}): ${said(message)}`;
  if (maxMs > 0 && !(nowMs - sinceMs > maxMs))
    return { phase: "waiting", sentence: `Kubernetes tries to ${what} ${why}` };
  const tried = maxMs > 0 ? ` and has tried for ${amountOfTime(maxMs)}` : "";
  const hint = isImage ? pod.metadata.annotations?.[HINT_ANNOTATION] : undefined;
  const advice = hint === undefined ? "" : ` ${hint}`;
  return { phase: "hopeless", sentence: `Kubernetes cannot ${what}${tried} ${why}.${advice}` };
}

/** A container that starts before the container of the job may have trouble of its own. */
function waitingOf(pod: Pod): Waiting {
  const { initContainerStatuses = [] } = pod.status ?? {};
  const early = initContainerStatuses.map(({ state }) => state?.waiting);
  const troubled = early.find((waiting) => IMAGE_TROUBLE.test(waiting?.reason ?? ""));
  return troubled ?? containerOf(pod)?.state?.waiting ?? {};
}

/** A node that does not answer leaves its Pods running. Only the condition tells. */
function runningPhase(pod: Pod): Phase {
  const node = pod.spec?.nodeName ?? "unknown";
  const sentence = "Kubernetes runs the job.";
  const removed = pod.metadata.deletionTimestamp;
  const isSilent = isNodeSilent(pod);
  if (!isSilent) return { phase: "active", sentence };
  const more = removed === undefined ? "" : ` The Pod is being removed: ${whyRemoved(pod)}.`;
  const concern = `The node ${node} of the job does not answer to Kubernetes. The job may still run there.${more}`;
  return { phase: "active", sentence, concern };
}

function isNodeSilent(pod: Pod): boolean {
  const isRunning = containerOf(pod)?.state?.running !== undefined;
  return isRunning && conditionOf(pod, "Ready")?.status === "False";
}

function endedPhase(pod: Pod): Phase {
  const { status = {} } = pod;
  const state = containerOf(pod)?.state;
  const { terminated } = state ?? {};
  if (!terminated && (state?.running || status.reason === "NodeLost" || isGivenUp(pod)))
    return { phase: "unknown", sentence: `Kubernetes gave the Pod of the job up: ${whyRemoved(pod)}.` };
  if (terminated?.reason === "OOMKilled")
    return {
      phase: "gone",
      sentence: "Out of memory: the kernel ended it at its limit.",
      reason: "out-of-memory",
    };
  if (status.reason === "DeadlineExceeded")
    return {
      phase: "gone",
      sentence: "Kubernetes ended the job at the deadline of its Pod.",
      reason: "time-limit",
    };
  if (status.reason !== undefined)
    return {
      phase: "gone",
      sentence: `Kubernetes ended the Pod of the job (${status.reason}): ${said(status.message)}.`,
    };
  const noTicket = maybeTicketFailure(pod);
  if (noTicket !== undefined)
    return { phase: "gone", sentence: `The job cannot get a Kerberos ticket: ${said(noTicket)}.` };
  if (!terminated) return { phase: "gone", sentence: "Kubernetes says that the Pod of the job ended." };
  return { phase: "gone", sentence: endSentence(terminated) };
}

interface Terminated {
  readonly exitCode: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

function endSentence({ exitCode, reason, message }: Terminated): string {
  if (exitCode === 0) return "Kubernetes says that the script ended.";
  const more = message === undefined || message === "" ? "" : `: ${said(message)}`;
  const why = reason === undefined || reason === "Error" ? "" : ` (${reason}${more})`;
  return `Kubernetes says that the script ended with exit code ${exitCode}${why}: the image may have no /bin/sh, or the node may not see the data folder.`;
}

/** True if a controller ended the Pod in place of its node. */
function isGivenUp(pod: Pod): boolean {
  return conditionOf(pod, "DisruptionTarget")?.reason === "DeletionByPodGC";
}

/** Returns why Kubernetes or Kueue ends a job, such as a preemption, while its Pod is being removed. */
export function maybeWhyEnded(pod: Pod): string | undefined {
  if (pod.metadata.deletionTimestamp === undefined || !maybeDisruption(pod)) return undefined;
  return `Kubernetes ended the job: ${whyRemoved(pod)}.`;
}

/** Kueue has a condition of its own. */
function maybeDisruption(pod: Pod): PodCondition | undefined {
  const conditions = [conditionOf(pod, "DisruptionTarget"), conditionOf(pod, "TerminationTarget")];
  return conditions.find((one) => one?.status === "True");
}

/** Says why a Pod is removed, if Kubernetes itself removes it. */
function whyRemoved(pod: Pod): string {
  const condition = maybeDisruption(pod);
  if (condition) return said(condition.message ?? condition.reason);
  return pod.status?.message === undefined ? "somebody deleted it" : said(pod.status.message);
}

function conditionOf(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((one) => one.type === type);
}

function said(message: string | undefined): string {
  return printable((message ?? "it does not say why").replaceAll(/\s+/g, " ").trim(), 400).replace(/\.$/, "");
}
