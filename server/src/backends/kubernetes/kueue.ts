import type { ApiClient } from "#backends/kubernetes/api/api-client";
import type { Pod, PodCondition } from "#backends/kubernetes/pod";
import type { PodParts } from "#backends/kubernetes/pod-parts";
import type { Clock } from "#plumbing/clock";
import { printable } from "#plumbing/text/printable";

/** The label by which Kueue queues a Pod. */
const QUEUE_LABEL = "kueue.x-k8s.io/queue-name";
/** The group of Kueue in the API. Its scheduling gates have names of this group. */
export const KUEUE_GROUP = "kueue.x-k8s.io";

/** Returns whether the Pods of a server wait in a queue of Kueue. */
export function usesKueue(parts: PodParts | undefined): boolean {
  return parts?.labels?.[QUEUE_LABEL] !== undefined;
}

/** Returns the queue of a Pod that Kueue has not admitted. */
export function maybeQueueOf({ metadata, spec }: Pod): string | undefined {
  const isHeld = spec?.schedulingGates?.some(({ name }) => name.startsWith(`${KUEUE_GROUP}/`)) === true;
  return isHeld ? metadata.labels?.[QUEUE_LABEL] : undefined;
}

/** An object by which Kueue describes the wait of a Pod. */
interface Workload {
  readonly metadata: { readonly ownerReferences?: readonly { readonly uid: string }[] };
  readonly spec?: { readonly active?: boolean };
  readonly status?: { readonly conditions?: readonly PodCondition[] };
}

interface Workloads {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly Workload[];
}

const PAGE = 500;
/** Interval between two listings of Workloads. */
const INTERVAL_MS = 5000;
/** A listing of many Workloads takes at most this part of the time. */
const TIME_SHARE = 20;

/** Reads why Kueue has not admitted Pods. Without Kueue, or without the right to read Workloads, the reason stays unknown. */
export class Kueue {
  readonly #api: ApiClient;
  readonly #clock: Pick<Clock, "now">;
  /** Sentences, by the uid of the Pod. */
  #reasons: ReadonlyMap<string, string> = new Map();
  #nextMs = 0;

  constructor(api: ApiClient, clock: Pick<Clock, "now">) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Reads the reasons again, if a Pod waits and the last reading is a while ago. */
  async refresh(pods: readonly Pod[]): Promise<void> {
    const beganMs = this.#clock.now();
    if (beganMs < this.#nextMs || !pods.some((pod) => maybeQueueOf(pod) !== undefined)) return;
    try {
      this.#reasons = await this.#read();
    } catch {
      // A job waits in its queue all the same. Doctor names a missing right.
      this.#reasons = new Map();
    }
    const nowMs = this.#clock.now();
    this.#nextMs = nowMs + Math.max(INTERVAL_MS, TIME_SHARE * (nowMs - beganMs));
  }

  /** Returns a sentence about a Pod that Kueue has not admitted. Undefined if Kueue does not hold the Pod. */
  maybeReason(pod: Pod): string | undefined {
    const queue = maybeQueueOf(pod);
    if (queue === undefined) return undefined;
    const known = this.#reasons.get(pod.metadata.uid ?? "");
    if (known === undefined) return `Kueue has not admitted the job from the queue ${queue}`;
    return known.replace(QUEUE, queue);
  }

  async #read(): Promise<ReadonlyMap<string, string>> {
    const reasons = new Map<string, string>();
    for (let next = ""; ;) {
      const query = new URLSearchParams({ limit: String(PAGE), ...(next && { continue: next }) });
      const { namespace } = this.#api.connection;
      const { items, metadata } = await this.#api.call<Workloads>({
        method: "GET",
        path: `/apis/${KUEUE_GROUP}/v1beta1/namespaces/${namespace}/workloads?${query.toString()}`,
        does: "listing the Workloads of Kueue",
      });
      for (const workload of items ?? []) {
        const sentence = maybeSentence(workload);
        for (const { uid } of workload.metadata.ownerReferences ?? [])
          if (sentence !== undefined) reasons.set(uid, sentence);
      }
      next = metadata?.continue ?? "";
      if (next === "") return reasons;
    }
  }
}

/** Stands for the name of the queue in a sentence. */
const QUEUE = "\0";

function maybeSentence({ spec, status }: Workload): string | undefined {
  const condition = (type: string) => status?.conditions?.find((one) => one.type === type);
  const [evicted, quota] = [condition("Evicted"), condition("QuotaReserved")];
  if (spec?.active === false) return `Kueue has taken the job out of the queue ${QUEUE}${because(evicted)}`;
  const before = evicted?.status === "True" ? `, after Kueue stopped the job${because(evicted)}` : "";
  if (quota?.status === "True") return `Kueue waits for admission checks of the queue ${QUEUE}${before}`;
  if (!quota) return before === "" ? undefined : `Kueue waits for quota in the queue ${QUEUE}${before}`;
  return `Kueue waits for quota in the queue ${QUEUE}${before}${because(quota)}`;
}

/** Kueue's own words, at the end of a sentence. */
function because(condition: PodCondition | undefined): string {
  const words = (condition?.message ?? condition?.reason ?? "").replaceAll(/\s+/g, " ").trim();
  return words === "" ? "" : `: ${printable(words, 400).replace(/\.$/, "")}`;
}
