import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type ImageName, repositoryOf } from "#backends/containers/images/image-name";
import { maybeCredentials, maybeUnusableSecret } from "#backends/containers/images/registry-credentials";
import type { ApiClient } from "#backends/kubernetes/api/api-client";
import { ApiRefusal } from "#backends/kubernetes/api/api-error";
import { imageOf } from "#backends/kubernetes/job-image";
import { RECORDS_LABEL } from "#backends/kubernetes/pod";
import type { SentJob } from "#backends/record/place";

/** Settings of the server for images of private registries. */
export interface PullSecretSettings {
  readonly records: string;
  readonly defaultImage?: string | undefined;
  readonly pullImages: "always" | "missing" | "never";
  /** True if Pods get the registry credentials of their users. */
  readonly pullSecrets?: boolean | undefined;
  /** The folder with a mark for each repository that was opened with credentials. All servers share the folder. */
  readonly privateRepositories?: string | undefined;
}

/** The way in which a Pod gets its image. */
export interface ImageAccess {
  /** The name of the Secret with the credentials for the registry. */
  readonly pullSecret?: string;
  /** True if the registry is asked before each use of an image that a node has already. */
  readonly isPrivate?: true;
  /** A sentence for a user whose image cannot be pulled. */
  readonly hint?: string;
}

/**
 * Gives the Pods of a user's jobs the registry credentials among the user's secrets: one Secret for each Pod, with the name of
 * the Pod and the entry of one registry. The Secret exists before its Pod, and is removed with the Pod.
 */
export class PullSecrets {
  readonly #api: ApiClient;
  readonly #settings: PullSecretSettings;

  constructor(api: ApiClient, settings: PullSecretSettings) {
    this.#api = api;
    this.#settings = settings;
  }

  /** Makes the Secret of a job, if the job needs one. Returns the way to the image. */
  async open({ name, job, secrets }: SentJob): Promise<ImageAccess> {
    const { defaultImage, pullImages, pullSecrets } = this.#settings;
    const image = imageOf(job, defaultImage);
    if (pullImages === "never") return {};
    const credentials = maybeCredentials(secrets, image.registry);
    if (!credentials || !pullSecrets) {
      const hint = credentials ? notGiven(image) : maybeUnusableSecret(secrets, image.registry);
      return { ...this.#privacy(image), ...(hint !== undefined && { hint }) };
    }
    this.#markPrivate(image);
    await this.#put(name, credentials.authFile);
    return { pullSecret: name, ...this.#privacy(image) };
  }

  /** Removes the Secrets of Pods that have ended. Absent Secrets count as removed. */
  async remove(name: string): Promise<void> {
    if (!this.#settings.pullSecrets) return;
    try {
      await this.#api.call({
        method: "DELETE",
        path: this.#path(`/${name}`),
        does: `removing the Secret ${name}`,
      });
    } catch (error) {
      if (!(error instanceof ApiRefusal && error.status === 404)) throw error;
    }
  }

  /** The right to read Secrets is not needed: a Secret that an earlier try has left is replaced. */
  async #put(name: string, authFile: string): Promise<void> {
    try {
      await this.#create(name, authFile);
    } catch (error) {
      if (!(error instanceof ApiRefusal && error.status === 409)) throw error;
      await this.remove(name);
      await this.#create(name, authFile);
    }
  }

  async #create(name: string, authFile: string): Promise<void> {
    const labels = { "app.kubernetes.io/managed-by": "reprise", [RECORDS_LABEL]: this.#settings.records };
    await this.#api.call({
      method: "POST",
      path: this.#path(),
      body: {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name, labels },
        type: "kubernetes.io/dockerconfigjson",
        immutable: true,
        stringData: { ".dockerconfigjson": authFile },
      },
      does: `creating the Secret ${name} with registry credentials`,
    });
  }

  #path(rest = ""): string {
    return `/api/v1/namespaces/${this.#api.connection.namespace}/secrets${rest}`;
  }

  /** A node gives a stored image to every Pod, without credentials. Asking the registry first prevents such a use. */
  #privacy(image: ImageName): Pick<ImageAccess, "isPrivate"> {
    const file = this.#maybeMark(image);
    return file !== undefined && existsSync(file) ? { isPrivate: true } : {};
  }

  #markPrivate(image: ImageName): void {
    const file = this.#maybeMark(image);
    if (file === undefined || existsSync(file)) return;
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${repositoryOf(image)}\n`, { mode: 0o600 });
  }

  #maybeMark(image: ImageName): string | undefined {
    const { privateRepositories } = this.#settings;
    if (privateRepositories === undefined) return undefined;
    const digest = createHash("sha256").update(repositoryOf(image)).digest("hex");
    return path.join(privateRepositories, digest.slice(0, 32));
  }
}

function notGiven({ registry }: ImageName): string {
  return `Your credentials for ${registry} were not used, because this server gives none to Pods (--kubernetes-pull-secrets).`;
}
