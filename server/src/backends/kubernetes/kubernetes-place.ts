import { createHash } from "node:crypto";
import { ApiClient } from "#backends/kubernetes/api/api-client";
import type { Connection } from "#backends/kubernetes/api/connection";
import { podOf } from "#backends/kubernetes/describe";
import type { PodSettings } from "#backends/kubernetes/pod-settings";
import { Kueue } from "#backends/kubernetes/kueue";
import { imageOfPod, listedPod, maybeWhyEnded } from "#backends/kubernetes/listed-pod";
import { hasPullSecret, type Pod } from "#backends/kubernetes/pod";
import { PodCalls } from "#backends/kubernetes/pod-calls";
import { PodWatch } from "#backends/kubernetes/pod-watch";
import { PullSecrets, type PullSecretSettings } from "#backends/kubernetes/pull-secrets";
import { missingRights, rightsFor } from "#backends/kubernetes/rights";
import { placeProblem } from "#backends/record/place-problem";
import type { ListedJob, Listing, Place, SentJob } from "#backends/record/place";
import { BackendAwayError } from "#backends/backend";
import type { Clock } from "#plumbing/clock";
import { messageOf } from "#plumbing/errors";

export interface KubernetesPlaceOptions {
  readonly connection: Connection;
  readonly settings: PodSettings & PullSecretSettings;
  readonly clock: Pick<Clock, "now">;
}

/** Kubernetes by its API: each attempt of a job is a Pod, whose name is derived from the job. */
export class KubernetesPlace implements Place {
  readonly name = "Kubernetes";
  readonly keepsEnded = true;
  readonly #options: KubernetesPlaceOptions;
  readonly #api: ApiClient;
  readonly #calls: PodCalls;
  readonly #watch: PodWatch;
  readonly #secrets: PullSecrets;
  readonly #kueue: Kueue;

  constructor(options: KubernetesPlaceOptions) {
    this.#options = options;
    this.#api = new ApiClient(options);
    this.#calls = new PodCalls(this.#api, options.settings.records);
    this.#watch = new PodWatch(this.#calls);
    this.#secrets = new PullSecrets(this.#api, options.settings);
    this.#kueue = new Kueue(this.#api, options.clock);
  }

  async send(job: SentJob): Promise<string> {
    const access = await this.#secrets.open(job);
    try {
      const pod = await this.#calls.create(job.name, podOf(job, this.#options.settings, access));
      if (pod) this.#watch.put(pod);
      return job.name;
    } catch (error) {
      // If it is unknown whether the Pod was created, the job is sent again or ended later.
      if (!(error instanceof BackendAwayError) && access.pullSecret !== undefined)
        await this.#secrets.remove(access.pullSecret);
      throw error;
    }
  }

  async list({ isWhole }: { readonly isWhole: boolean }): Promise<Listing> {
    const pods = isWhole ? (await this.#calls.list()).pods : await this.#watch.pods();
    await this.#kueue.refresh(pods);
    const jobs = new Map(pods.map((pod) => [pod.metadata.name, [this.#listed(pod)]]));
    const listing = { cluster: clusterName(this.#options.connection), jobs };
    if (!isWhole) return { ...listing, silentNodes: new Map() };
    const silentNodes = await this.#calls.silentNodes();
    if (silentNodes) return { ...listing, silentNodes };
    return { ...listing, silentNodes: new Map(), answeringNodes: new Set(), absentNode: NO_RIGHT };
  }

  async end(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#end(name)));
  }

  /** A Pod that is unknown here may have left a Secret. */
  async #end(name: string): Promise<void> {
    const pod = this.#watch.maybePod(name);
    await this.#calls.remove(name);
    if (pod === undefined || hasPullSecret(pod)) await this.#secrets.remove(name);
  }

  takeNews(): readonly string[] {
    return this.#watch.takeNews();
  }

  imageOf(name: string): ReturnType<typeof imageOfPod> {
    const pod = this.#watch.maybePod(name);
    return pod && imageOfPod(pod);
  }

  whyEnded(name: string): string | undefined {
    const pod = this.#watch.maybePod(name);
    return pod && maybeWhyEnded(pod);
  }

  /** Returns why the cluster cannot be used: each missing right, or why the API server does not answer. */
  async problem(): Promise<string | undefined> {
    try {
      return (
        (await missingRights(this.#api, rightsFor(this.#options.settings))) ?? (await placeProblem(this))
      );
    } catch (error) {
      return messageOf(error);
    }
  }

  close(): void {
    this.#watch.close();
    this.#api.close();
  }

  #listed(pod: Pod): ListedJob {
    const { clock, settings } = this.#options;
    const inQueue = this.#kueue.maybeReason(pod);
    return listedPod(pod, { nowMs: clock.now(), pullMaxMs: settings.pullTimeoutMs, inQueue });
  }
}

const NO_RIGHT = "the server may not list nodes";

/** Returns a name for the cluster and the namespace. Each cluster has a certificate authority of its own. */
function clusterName({ authority, server, namespace }: Connection): string {
  const cluster = authority ? createHash("sha256").update(authority).digest("hex").slice(0, 12) : server.host;
  return `${cluster}/${namespace}`;
}
