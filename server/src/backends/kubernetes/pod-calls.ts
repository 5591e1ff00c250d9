import type { IncomingMessage } from "node:http";
import type { ApiClient } from "#backends/kubernetes/api/api-client";
import { ApiRefusal } from "#backends/kubernetes/api/api-error";
import { type Pod, RECORDS_LABEL } from "#backends/kubernetes/pod";
import { BackendAwayError } from "#backends/backend";

/** Pods of one page of a listing. */
const PAGE = 500;
/** A listing of many pages expires after minutes, and begins again. */
const TRIES_MAX = 3;
/** The API server ends a watch after this time. Then the watch is continued. */
const WATCH_SECONDS = 290;
/** The API server sends a bookmark each minute. A watch that is silent for longer is cut. */
const WATCH_SILENCE_MS = 90_000;

/** All Pods of a server, and the version of the cluster from which changes can be followed. */
export interface PodList {
  readonly pods: readonly Pod[];
  readonly version: string;
}

interface ListAnswer {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly Pod[];
}

interface Node {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
    }[];
  };
}

/** The calls that a server makes about the Pods of one namespace. */
export class PodCalls {
  readonly #api: ApiClient;
  readonly #records: string;

  constructor(api: ApiClient, records: string) {
    this.#api = api;
    this.#records = records;
  }

  /**
   * Creates a Pod, and returns it. If the name is taken, the Pod is there already: the name is derived from the job.
   */
  async create(name: string, body: object): Promise<Pod | undefined> {
    try {
      return await this.#api.call<Pod>({
        method: "POST",
        path: this.#path(),
        body,
        does: `creating the Pod ${name}`,
      });
    } catch (error) {
      if (!(error instanceof ApiRefusal && error.status === 409)) throw error;
      return undefined;
    }
  }

  /** Removes a Pod. An absent Pod counts as removed. */
  async remove(name: string): Promise<void> {
    try {
      await this.#api.call({
        method: "DELETE",
        path: this.#path(`/${name}`),
        does: `removing the Pod ${name}`,
      });
    } catch (error) {
      if (!(error instanceof ApiRefusal && error.status === 404)) throw error;
    }
  }

  /** Lists all Pods of this server. The list is complete, or the call fails. */
  async list(): Promise<PodList> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#pages();
      } catch (error) {
        if (!(error instanceof ApiRefusal)) throw error;
        const isExpired = error.status === 410;
        if (!isExpired || tries === TRIES_MAX) throw new BackendAwayError(error.message, { cause: error });
      }
    }
  }

  async #pages(): Promise<PodList> {
    const pods: Pod[] = [];
    for (let next = ""; ;) {
      const query = new URLSearchParams({
        ...this.selector,
        limit: String(PAGE),
        ...(next && { continue: next }),
      });
      const { items, metadata } = await this.#api.call<ListAnswer>({
        method: "GET",
        path: this.#path(`?${query.toString()}`),
        does: "listing the Pods of jobs",
      });
      pods.push(...(items ?? []));
      next = metadata.continue ?? "";
      if (next === "") return { pods, version: metadata.resourceVersion ?? "" };
    }
  }

  /** Opens a watch for the changes after a version. The API server ends the watch after a while. */
  watch(version: string, signal: AbortSignal): Promise<IncomingMessage> {
    const query = new URLSearchParams({
      ...this.selector,
      watch: "true",
      resourceVersion: version,
      allowWatchBookmarks: "true",
      timeoutSeconds: String(WATCH_SECONDS),
    });
    const call = {
      method: "GET",
      path: this.#path(`?${query.toString()}`),
      does: "watching the Pods of jobs",
    } as const;
    return this.#api.open(call, WATCH_SILENCE_MS, signal);
  }

  /**
   * Returns the nodes that do not answer, with the words of Kubernetes. Undefined if this server has no right to look:
   * then nobody knows whether a vanished Pod still runs.
   */
  async silentNodes(): Promise<ReadonlyMap<string, string> | undefined> {
    const path = "/api/v1/nodes?limit=5000";
    try {
      const { items } = await this.#api.call<{ items?: readonly Node[] }>({
        method: "GET",
        path,
        does: "listing the nodes",
      });
      return new Map((items ?? []).flatMap(silenceOf));
    } catch (error) {
      if (error instanceof BackendAwayError && /cannot list resource/.test(error.message)) return undefined;
      throw error;
    }
  }

  get selector(): { readonly labelSelector: string } {
    return { labelSelector: `${RECORDS_LABEL}=${this.#records}` };
  }

  #path(rest = ""): string {
    return `/api/v1/namespaces/${this.#api.connection.namespace}/pods${rest}`;
  }
}

function silenceOf({ metadata, status }: Node): [string, string][] {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status === "True") return [];
  return [[metadata.name, ready?.reason ?? "not ready"]];
}
