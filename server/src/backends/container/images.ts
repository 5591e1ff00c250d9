import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type ImageName, fullImageName, isAllowedImage, localNames } from "#backends/container/image-name";
import { ImageProblem } from "#backends/container/image-problem";
import { imageIn, type LocalImage, wrongMachine } from "#backends/container/local-image";
import { maybeCredentials, type RegistryCredentials } from "#backends/container/registry-credentials";
import { pullImage } from "#backends/container/pull-image";
import { openPullLog } from "#backends/container/pull-log";
import { runProgram } from "#backends/container/run-program";
import type { Runtime } from "#backends/container/runtime";
import { type Clock, toWireTime } from "#plumbing/clock";
import { codeOf } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import type { ImagePulls } from "#workflow/capabilities";
import type { JobSecrets } from "#workflow/people/secret";

/** When an image is fetched from its registry: before every job, if it is not on this machine, or never. */
export const PULL_POLICIES = ["always", "missing", "never"] as const;
export type PullPolicy = (typeof PULL_POLICIES)[number];

export interface ImageOptions {
  readonly policy: PullPolicy;
  /** Patterns of the images that jobs may use. Absent: all. */
  readonly allowed?: readonly string[] | undefined;
  readonly pullTimeoutMs: number;
  /** The folder of the logs of pulls, and of what must be remembered of images. */
  readonly folder: string;
  readonly clock: Clock;
}

/** The same jobs run on a server and in `reprise cwl-runner`, which have different options. */
const ADVICE =
  "On a server, load it (`reprise image load`) or set --pull-images missing. For `reprise cwl-runner`, leave out --disable-pull.";

/** An image that is on this machine, or is being pulled. */
export type Wanted =
  | { readonly image: LocalImage }
  | { readonly reason: string; readonly arrives: Promise<LocalImage> };

/**
 * Time for which an answer of the runtime about a local image is used again. A container of a removed image does not
 * start.
 */
const MEMORY_MS = 10_000;
const INSPECT_TIMEOUT_MS = 60_000;

interface ImageLog {
  error(details: object, message: string): void;
}

interface Pull {
  readonly sinceMs: number;
  readonly arrives: Promise<LocalImage>;
}

/** The images of this machine: finds those that jobs name, and fetches each once for all that wait for it. */
export class Images {
  readonly #options: ImageOptions;
  readonly #log: ImageLog;
  readonly #known = new Map<string, { readonly image: LocalImage; readonly atMs: number }>();
  readonly #pulls = new Map<string, Pull>();
  /**
   * The credentials with which an image was fetched, by its name and their fingerprint. An image that needed credentials
   * is on this machine for everybody, so each user's own are tried once before their jobs may use it.
   */
  readonly #fetchedWith = new Map<string, Set<string>>();
  #succeeded = 0;
  #failed = 0;

  constructor(options: ImageOptions, log: ImageLog) {
    this.#options = options;
    this.#log = log;
    for (const name of privateImages(options.folder)) this.#fetchedWith.set(name, new Set());
  }

  /** Throws an `ImageProblem` if jobs may not use the image. */
  checkAllowed(name: ImageName, text: string): void {
    const { allowed } = this.#options;
    // REANA's sentence.
    if (allowed && !isAllowedImage(name, allowed)) throw new ImageProblem(`Image not allowed: ${text}`);
  }

  /** Returns the image, or the pull that brings it. Throws an `ImageProblem` if neither is possible. */
  async want(runtime: Runtime, name: ImageName, secrets: JobSecrets | undefined): Promise<Wanted> {
    const credentials = maybeCredentials(secrets, name.registry);
    const key = `${fullImageName(name)} ${credentials?.fingerprint ?? ""}`;
    const pull = this.#pulls.get(key);
    if (pull) return this.#waiting(name, pull);
    const local = this.#options.policy === "always" ? undefined : await this.maybeLocal(runtime, name);
    if (local && this.#mayUse(name, credentials)) return { image: local };
    if (this.#options.policy === "never") {
      throw new ImageProblem(
        `The image ${fullImageName(name)} is not on this machine, and this server does not pull images (--pull-images never). ${ADVICE}`,
      );
    }
    return this.#waiting(name, this.#pulls.get(key) ?? this.#begin(runtime, name, key, credentials));
  }

  #waiting(name: ImageName, { sinceMs, arrives }: Pull): Wanted {
    const seconds = Math.round((this.#options.clock.elapsedMs() - sinceMs) / 1000);
    const since = seconds > 1 ? `, since ${seconds} s` : "";
    return { reason: `the image ${fullImageName(name)} is being pulled${since}`, arrives };
  }

  #begin(runtime: Runtime, name: ImageName, key: string, credentials: RegistryCredentials | undefined): Pull {
    const pull = {
      sinceMs: this.#options.clock.elapsedMs(),
      arrives: this.#counted(this.#pull(runtime, name, credentials)).finally(() => this.#pulls.delete(key)),
    };
    this.#pulls.set(key, pull);
    return pull;
  }

  async #counted<Result>(pull: Promise<Result>): Promise<Result> {
    try {
      const result = await pull;
      this.#succeeded += 1;
      return result;
    } catch (error) {
      this.#failed += 1;
      throw error;
    }
  }

  pulls(): ImagePulls {
    const ages = [...this.#pulls.values()].map(({ sinceMs }) => this.#options.clock.elapsedMs() - sinceMs);
    return {
      underWay: ages.length,
      oldestMs: Math.max(0, ...ages),
      succeeded: this.#succeeded,
      failed: this.#failed,
    };
  }

  async #pull(
    runtime: Runtime,
    name: ImageName,
    credentials: RegistryCredentials | undefined,
  ): Promise<LocalImage> {
    const full = fullImageName(name);
    const { folder, pullTimeoutMs, clock } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const log = openPullLog(folder, name, (err) =>
      this.#log.error({ err, image: full }, "The log of a pull could not be written; the pull continues."),
    );
    try {
      log.write(`${toWireTime(clock.now())} pulling ${full}\n`);
      const problem = await pullImage(runtime, {
        image: full,
        log,
        timeoutMs: pullTimeoutMs,
        folder,
        credentials,
        clock,
      });
      if (problem !== undefined)
        throw new ImageProblem(
          `The image ${printable(full, 300)} could not be pulled by ${runtime.name}: ${problem}`,
        );
    } finally {
      log.close();
    }
    this.#known.clear();
    const image = await this.maybeLocal(runtime, name);
    if (!image)
      throw new ImageProblem(`The image ${full} was pulled by ${runtime.name}, but is not on this machine.`);
    if (credentials && !this.#fetchedWith.has(full)) appendFileSync(path.join(folder, PRIVATE), `${full}\n`);
    const fetched = this.#fetchedWith.get(full) ?? new Set();
    this.#fetchedWith.set(full, fetched.add(credentials?.fingerprint ?? ""));
    return image;
  }

  #mayUse(name: ImageName, credentials: RegistryCredentials | undefined): boolean {
    const fetched = this.#fetchedWith.get(fullImageName(name));
    if (!fetched || fetched.has("")) return true;
    return credentials !== undefined && fetched.has(credentials.fingerprint);
  }

  /** Returns the image if it is on this machine. Throws an `ImageProblem` if it cannot run here. */
  async maybeLocal(runtime: Runtime, name: ImageName): Promise<LocalImage | undefined> {
    const full = fullImageName(name);
    const known = this.#known.get(full);
    if (known && this.#options.clock.elapsedMs() - known.atMs < MEMORY_MS) return known.image;
    for (const local of localNames(name)) {
      const words = [runtime.program, "image", "inspect", local] as const;
      const image = imageIn((await runProgram(words, { timeoutMs: INSPECT_TIMEOUT_MS })).stdout);
      if (!image) continue;
      const problem = wrongMachine(image);
      if (problem !== undefined) throw new ImageProblem(`The image ${full} cannot run here: ${problem}`);
      this.#known.set(full, { image, atMs: this.#options.clock.elapsedMs() });
      return image;
    }
    return undefined;
  }
}

/** The file with the names of images that were first fetched with credentials, one a line. */
const PRIVATE = "private-images";

function privateImages(folder: string): string[] {
  try {
    return readFileSync(path.join(folder, PRIVATE), "utf8").split("\n").filter(Boolean);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
