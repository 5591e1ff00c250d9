import { createInterface } from "node:readline";
import type { PodCalls } from "#backends/kubernetes/pod-calls";
import { HINT_ANNOTATION, type Pod } from "#backends/kubernetes/pod";

/** A line of a watch. */
interface WatchEvent {
  readonly type: string;
  readonly object: Pod;
}

/**
 * Follows the Pods of a server by one listing and a watch from its version. After an ERROR event, an expired
 * version, a cut connection or a silent API server, the next reader lists again. There is no timer and no
 * retry here, because the jobs are read every few seconds.
 */
export class PodWatch {
  readonly #calls: PodCalls;
  readonly #pods = new Map<string, Pod>();
  readonly #news = new Set<string>();
  /** Ends the watch. Undefined if the Pods are not followed. */
  #watch: AbortController | undefined;
  #isClosed = false;

  constructor(calls: PodCalls) {
    this.#calls = calls;
  }

  /** Returns the Pods as far as changes have arrived. Throws a `BackendAwayError` if they cannot be listed. */
  async pods(): Promise<readonly Pod[]> {
    if (!this.#watch) await this.#begin();
    return [...this.#pods.values()];
  }

  /** Returns a Pod as it was seen last, while the Pods are followed. */
  maybePod(name: string): Pod | undefined {
    return this.#watch && this.#pods.get(name);
  }

  /** Adds a Pod that was created, before the watch brings it. */
  put(pod: Pod): void {
    if (!this.#pods.has(pod.metadata.name)) this.#pods.set(pod.metadata.name, seen(pod));
  }

  /** Returns the names of the Pods that changed since the previous call. */
  takeNews(): readonly string[] {
    const names = [...this.#news];
    this.#news.clear();
    return names;
  }

  close(): void {
    this.#isClosed = true;
    this.#watch?.abort();
    this.#watch = undefined;
  }

  async #begin(): Promise<void> {
    const { pods, version } = await this.#calls.list();
    if (this.#isClosed) return;
    this.#pods.clear();
    for (const pod of pods) this.#pods.set(pod.metadata.name, seen(pod));
    this.#watch?.abort();
    const watch = new AbortController();
    this.#watch = watch;
    void this.#follow(watch, version);
  }

  /** Reads changes until something ends the watch. A watch that the API server ends after its time is continued. */
  async #follow(watch: AbortController, from: string): Promise<void> {
    try {
      for (let version: string | undefined = from; version !== undefined && this.#watch === watch;)
        version = await this.#read(watch, version);
    } catch {
      // The next listing meets and reports the fault.
    }
    if (this.#watch === watch) this.#watch = undefined;
    watch.abort();
  }

  /** Returns the version from which the next watch continues. Undefined if the Pods must be listed again. */
  async #read(watch: AbortController, from: string): Promise<string | undefined> {
    const response = await this.#calls.watch(from, watch.signal);
    if (response.statusCode !== 200) {
      response.destroy();
      return undefined;
    }
    let version = from;
    for await (const line of createInterface({ input: response, signal: watch.signal })) {
      const { type, object } = JSON.parse(line) as WatchEvent;
      if (type === "ERROR") return undefined;
      version = object.metadata.resourceVersion ?? version;
      this.#apply(type, object);
    }
    return response.complete ? version : undefined;
  }

  #apply(type: string, pod: Pod): void {
    const { name, uid } = pod.metadata;
    if (type === "BOOKMARK") return;
    this.#news.add(name);
    if (type !== "DELETED") this.#pods.set(name, seen(pod));
    // A second Pod of the name may be there already.
    else if (this.#pods.get(name)?.metadata.uid === uid) this.#pods.delete(name);
  }
}

/** The parts of a Pod that are kept: a thousandth of a cluster's Pods is a few megabytes otherwise. */
function seen({ metadata, spec, status }: Pod): Pod {
  const { name, uid, resourceVersion, labels, annotations, deletionTimestamp } = metadata;
  const { nodeName, schedulingGates, imagePullSecrets } = spec ?? {};
  const hint = annotations?.[HINT_ANNOTATION];
  const { phase, reason, message, conditions, initContainerStatuses, containerStatuses } = status ?? {};
  return {
    metadata: {
      name,
      uid,
      resourceVersion,
      labels,
      deletionTimestamp,
      ...(hint !== undefined && { annotations: { [HINT_ANNOTATION]: hint } }),
    },
    spec: { nodeName, schedulingGates, imagePullSecrets },
    status: { phase, reason, message, conditions, initContainerStatuses, containerStatuses },
  };
}
