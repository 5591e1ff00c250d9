import {
  fullImageName,
  type ImageName,
  isBuiltHere,
  localNames,
  parseImageName,
  repositoryOf,
} from "#backends/containers/images/image-name";
import { maybeStored } from "#backends/containers/images/unpacked/unpacked-images";
import { ImageProblem, RuntimeFailure } from "#backends/containers/image-problem";
import { imageIn, type LocalImage, wrongMachine } from "#backends/containers/images/local-image";
import { PrivateImages } from "#backends/containers/images/private-images";
import {
  maybeCredentials,
  maybeUnusableSecret,
  type RegistryCredentials,
} from "#backends/containers/images/registry-credentials";
import { pullImage } from "#backends/containers/images/pull-image";
import { openPullLog } from "#backends/containers/images/pull-log";
import { failureOf, runProgram } from "#backends/containers/run-program";
import type { Runtime } from "#backends/containers/runtime";
import { type Clock, toWireTime } from "#plumbing/clock";
import { printable } from "#plumbing/text/printable";
import type { ImagePulls } from "#workflow/capabilities";
import type { JobSecrets } from "#workflow/people/secret";

/**
 * When an image is fetched from its registry: before every job, if this machine lacks the image, or never.
 */
export const PULL_POLICIES = ["always", "missing", "never"] as const;
export type PullPolicy = (typeof PULL_POLICIES)[number];

export interface ImageOptions {
  readonly policy: PullPolicy;
  /** Patterns of the images that jobs may use. If absent, all images are allowed. */
  readonly allowed?: readonly string[] | undefined;
  /** Ids of images on this machine that came with a pack, by their complete names. */
  readonly packed?: ReadonlyMap<string, string> | undefined;
  readonly pullTimeoutMs: number;
  /** The folder of the logs of pulls. */
  readonly logs: string;
  /** The file with the names of images that were fetched with credentials. */
  readonly privateImages: string;
  /** The folder for credentials while in use. */
  readonly credentials: string;
  readonly clock: Clock;
}

/** The same jobs run on a server and in `reprise cwl-runner`, with different options. */
const ADVICE =
  "On a server, load it (`reprise image load`) or set --pull-images missing. For `reprise cwl-runner`, leave out --disable-pull.";

/** The same jobs run under `reprise run`, on a server and under `reprise cwl-runner`. */
const WAY_OUT =
  "To run without images: --containers none, for `reprise run` or the server (`reprise cwl-runner`: without --podman).";

/** An image on this machine, or an image that is being pulled. */
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

interface Known {
  readonly image: LocalImage | undefined;
  readonly atMs: number;
}

interface Pull {
  readonly sinceMs: number;
  readonly arrives: Promise<LocalImage>;
}

/**
 * The images of this machine: finds the images that jobs name, and fetches each once for all waiting jobs.
 */
export class Images {
  readonly #options: ImageOptions;
  readonly #log: ImageLog;
  /**
   * Answers of the runtime, by the name of the image. Absence is remembered only for images that are built
   * here.
   */
  readonly #known = new Map<string, Known>();
  readonly #pulls = new Map<string, Pull>();
  readonly #private: PrivateImages;
  #succeeded = 0;
  #failed = 0;

  constructor(options: ImageOptions, log: ImageLog) {
    this.#options = options;
    this.#log = log;
    this.#private = new PrivateImages(options.privateImages);
  }

  /**
   * Returns the image, or the pull that brings the image. Throws an `ImageProblem` if neither is possible,
   * and a `RuntimeFailure` if the runtime cannot say whether it has the image.
   */
  async want(runtime: Runtime, name: ImageName, secrets: JobSecrets | undefined): Promise<Wanted> {
    const credentials = maybeCredentials(secrets, name.registry);
    const key = `${fullImageName(name)} ${credentials?.fingerprint ?? ""}`;
    const hint = maybeUnusableSecret(secrets, name.registry);
    const pull = this.#pulls.get(key);
    if (pull) return this.#waiting(name, pull, hint);
    const local = await this.#maybeUsable(runtime, name, credentials);
    if (local) return { image: local };
    if (this.#options.policy === "never") {
      throw new ImageProblem(
        `The image ${fullImageName(name)} is not on this machine, and this server does not pull images (--pull-images never). ${ADVICE}`,
      );
    }
    return this.#waiting(name, this.#pulls.get(key) ?? this.#begin(runtime, name, key, credentials), hint);
  }

  /** Adds the hint and the way out to the failure of a pull. Users with the same credentials share a pull. */
  #waiting(name: ImageName, { sinceMs, arrives }: Pull, hint: string | undefined): Wanted {
    const seconds = Math.round((this.#options.clock.elapsedMs() - sinceMs) / 1000);
    const since = seconds > 1 ? `, since ${seconds} s` : "";
    const reason = `the image ${fullImageName(name)} is being pulled${since}`;
    const withAdvice = (error: unknown): never => {
      if (!(error instanceof ImageProblem)) throw error;
      const advice = hint === undefined ? WAY_OUT : `${hint} ${WAY_OUT}`;
      throw new ImageProblem(`${error.message} ${advice}`, { cause: error });
    };
    return { reason, arrives: arrives.catch(withAdvice) };
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
    if (credentials) await this.#private.beginPull(name);
    let isAbsent = false;
    try {
      const problem = await this.#fetch(runtime, name, credentials);
      this.#known.clear();
      // Throws if the runtime itself has failed; the jobs then wait for the runtime.
      const image = await this.#maybeNamed(runtime, full);
      isAbsent = !image;
      if (problem !== undefined)
        throw new ImageProblem(
          `The image ${printable(full, 300)} could not be pulled by ${runtime.name}: ${problem}`,
        );
      if (!image)
        throw new ImageProblem(
          `The image ${full} was pulled by ${runtime.name}, but is not on this machine.`,
        );
      this.#private.fetched(name, credentials);
      return image;
    } finally {
      if (credentials)
        await this.#private.endPull(name, { isAbsent }).catch((err: unknown) => {
          this.#log.error({ err, image: full }, "The list of private images could not be written.");
        });
    }
  }

  /** Returns why the image could not be pulled, or undefined. */
  async #fetch(
    runtime: Runtime,
    name: ImageName,
    credentials: RegistryCredentials | undefined,
  ): Promise<string | undefined> {
    const { logs, credentials: folder, pullTimeoutMs: timeoutMs, clock } = this.#options;
    const image = fullImageName(name);
    const log = openPullLog(logs, name, (err) =>
      this.#log.error({ err, image }, "The log of a pull could not be written; the pull continues."),
    );
    try {
      log.write(`${toWireTime(clock.now())} pulling ${image}\n`);
      const problem = await pullImage(runtime, { image, log, timeoutMs, folder, credentials, clock });
      log.end({ at: toWireTime(clock.now()), image: printable(image, 300), problem });
      return problem;
    } finally {
      log.close();
    }
  }

  /**
   * Returns the image if this machine has a copy, and jobs with these credentials may use it without a pull.
   */
  async #maybeUsable(
    runtime: Runtime,
    name: ImageName,
    credentials: RegistryCredentials | undefined,
  ): Promise<LocalImage | undefined> {
    const packed = await this.#maybePacked(runtime, name);
    if (packed) return packed;
    const full = fullImageName(name);
    for (const local of localNames(name)) {
      // No registry has an image that was built here.
      if (this.#options.policy === "always" && !isBuiltHere(local)) continue;
      const image = await this.#maybeNamed(runtime, local);
      // Checked last: the image may have arrived by a pull that began meanwhile.
      if (image && (local !== full || this.#private.mayUse(name, credentials))) return image;
    }
    // The administrator may load the image before the next look.
    for (const local of localNames(name)) this.#known.delete(local);
    return undefined;
  }

  /**
   * Returns the image if this machine has it. Throws an `ImageProblem` if the image cannot run here, and a
   * `RuntimeFailure` if the runtime cannot say.
   */
  async maybeLocal(runtime: Runtime, name: ImageName): Promise<LocalImage | undefined> {
    const packed = await this.#maybePacked(runtime, name);
    if (packed) return packed;
    for (const local of localNames(name)) {
      const image = await this.#maybeNamed(runtime, local);
      if (image) return image;
    }
    return undefined;
  }

  async #maybePacked(runtime: Runtime, name: ImageName): Promise<LocalImage | undefined> {
    const id = this.#options.packed?.get(fullImageName(name));
    return id === undefined ? undefined : this.#maybeNamed(runtime, id);
  }

  #remembered(name: string): Known | undefined {
    const known = this.#known.get(name);
    return known && this.#options.clock.elapsedMs() - known.atMs < MEMORY_MS ? known : undefined;
  }

  #remember(name: string, image: LocalImage | undefined): LocalImage | undefined {
    this.#known.set(name, { image, atMs: this.#options.clock.elapsedMs() });
    return image;
  }

  async #maybeNamed(runtime: Runtime, name: string): Promise<LocalImage | undefined> {
    const known = this.#remembered(name);
    if (known) return known.image;
    const image = await maybeInspected(runtime, name);
    // A pull that ended during the call may have brought the image.
    if (!image || !isNamed(image, name))
      return (
        this.#remembered(name)?.image ?? (isBuiltHere(name) ? this.#remember(name, undefined) : undefined)
      );
    const problem = wrongMachine(image);
    if (problem !== undefined) throw new ImageProblem(`The image ${name} cannot run here: ${problem}`);
    return this.#remember(name, image);
  }
}

/** Returns what the runtime knows about an image. Throws a `RuntimeFailure` if the runtime cannot say whether it has the image. */
async function maybeInspected(runtime: Runtime, name: string): Promise<LocalImage | undefined> {
  if (runtime.name === "apptainer") return maybeStored(runtime, name);
  const words = [runtime.program, "image", "inspect", name] as const;
  const result = await runProgram(words, { timeoutMs: INSPECT_TIMEOUT_MS });
  const image = result.code === 0 ? imageIn(result.stdout) : undefined;
  if (!image && !IS_ABSENT.test(result.stderr))
    throw new RuntimeFailure(`${runtime.name} could not look for the image ${name}: ${failureOf(result)}`);
  return image;
}

/** Returns whether the image has this name. Podman finds an image by its digest also under the name of another repository. */
function isNamed({ digestNames, formerNames }: LocalImage, name: string): boolean {
  const repository = (text: string) => {
    const parsed = parseImageName(text);
    return parsed && repositoryOf(parsed);
  };
  const names = [...digestNames, ...formerNames];
  return !name.includes("@") || names.some((other) => repository(other) === repository(name));
}

/** Matches the runtimes' messages about a missing image. */
const IS_ABSENT = /image not known|no such image/i;
