import type { JobRequest } from "#backends/backend";
import {
  containerCommand,
  type ContainerCommand,
  type ContainerCommandOptions,
  type PreparedImage,
  type StartingJob,
} from "#backends/containers/container-command";
import type { ImageName } from "#backends/containers/images/image-name";
import { ImageProblem, RuntimeFailure } from "#backends/containers/image-problem";
import { type ImageOptions, Images } from "#backends/containers/images/images";
import { wantedImage } from "#backends/containers/images/wanted-image";
import type { LocalImage } from "#backends/containers/images/local-image";
import {
  findRuntime,
  installedRuntimes,
  type NoRuntime,
  type Runtime,
  type RuntimeChoice,
} from "#backends/containers/runtime";
import { type MeasureDisk, missingSpace } from "#backends/containers/storage-space";
import type { Clock } from "#plumbing/clock";
import type { DiskFloor } from "#plumbing/files/disk-space";

import type { ImagePulls } from "#workflow/capabilities";
import { UNKNOWN_DIGEST } from "#workflow/job/image-digest";
import type { Job } from "#workflow/job/job";

export interface ContainerOptions extends ContainerCommandOptions {
  readonly choice: Exclude<RuntimeChoice, "none">;
  readonly images: ImageOptions;
  /** The image of jobs that name no image. If absent, these jobs run without a container. */
  readonly defaultImage?: string | undefined;
  /** Space to keep free on the runtime's disk. Default: the floor without a setting. */
  readonly floorOf?: DiskFloor | undefined;
  /** Replaces the look at the runtime's disk. */
  readonly measureDisk?: MeasureDisk | undefined;
  readonly clock: Clock;
  readonly log: { error(details: object, message: string): void };
}

/** A job that cannot start yet. */
export interface Waiting {
  /** The reason, as the end of a sentence. */
  readonly reason: string;
  /**
   * Resolves to the next reason to wait, or undefined once the job is prepared. Rejects if the job can never
   * start.
   */
  readonly arrives: Promise<Waiting | undefined>;
}

/** The job may end before anybody awaits the promise: a failure must not end the server in this case. */
function waitingFor(reason: string, arrives: Waiting["arrives"]): Waiting {
  arrives.catch(() => undefined);
  return { reason, arrives };
}

/** Interval between probes of a runtime that the administrator asks for and that does not work, or has too little space. */
const NEXT_PROBE_AFTER_MS = 5000;

/** Runs the jobs that name an image in containers: finds the runtime and the image, and says what a slot runs. */
export class Containers {
  readonly #options: ContainerOptions;
  readonly #images: Images;
  /** Jobs that are prepared, or being prepared. */
  readonly #wanted = new Set<string>();
  /** Null: the job runs without a container. */
  readonly #prepared = new Map<string, PreparedImage | null>();
  /**
   * The configured choice, until a runtime works; afterwards that runtime: no job then runs without a
   * container because the runtime has failed.
   */
  #choice: ContainerOptions["choice"];
  #runtime: Promise<Runtime | NoRuntime> | undefined;
  #found: Runtime | NoRuntime | undefined;

  constructor(options: ContainerOptions) {
    this.#options = options;
    this.#choice = options.choice;
    this.#images = new Images(options.images, options.log);
  }

  /**
   * Prepares a job to run in its image. Returns the reason to wait, if any. Throws an `ImageProblem` if the
   * job can never start. A job without an image runs without a container, and so does every job if the choice
   * is `auto` and no runtime works.
   */
  async prepare(request: JobRequest): Promise<Waiting | undefined> {
    const image = this.#imageOf(request.job);
    if (image === undefined) return this.prepareWithout(request.id);
    const name = this.#nameOf(image);
    this.#wanted.add(request.id);
    const runtime = await this.runtime();
    if (!("problem" in runtime)) {
      const missing = this.#missingSpace(runtime);
      if (missing === undefined) return this.#withRuntime(runtime, name, request);
      return waitingFor(missing, this.#prepareLater(request));
    }
    if (this.#choice === "auto") return this.#keep(request.id, null);
    return this.#waitForRuntime(runtime.problem, request);
  }

  /** Returns whether a job may have to wait for its image, or for the runtime. */
  mayQueue(job: Pick<Job, "image" | "isHostProgram">): boolean {
    return this.#imageOf(job) !== undefined;
  }

  #imageOf({ image, isHostProgram }: Pick<Job, "image" | "isHostProgram">): string | undefined {
    return image ?? (isHostProgram ? undefined : this.#options.defaultImage);
  }

  #missingSpace(runtime: Runtime): string | undefined {
    const { floorOf, measureDisk: measure } = this.#options;
    return missingSpace(runtime, { floorOf, measure });
  }

  /** Prepares a job that needs no container. */
  prepareWithout(id: string): undefined {
    this.#wanted.add(id);
    this.#keep(id, null);
  }

  /** A job may be forgotten during its preparation. */
  #keep(id: string, prepared: PreparedImage | null): undefined {
    if (this.#wanted.has(id)) this.#prepared.set(id, prepared);
  }

  #waitForRuntime(problem: string, request: JobRequest): Waiting {
    return waitingFor(problem, this.#prepareLater(request));
  }

  /**
   * Returns the runtime, or the problem if no runtime works. The first runtime that works is used from then
   * on.
   */
  async runtime(): Promise<Runtime | NoRuntime> {
    this.#runtime ??= findRuntime(this.#choice);
    const runtime = await this.#runtime;
    if ("problem" in runtime) this.#runtime = undefined;
    else this.#choice = runtime.name;
    this.#found = runtime;
    return runtime;
  }

  /** Returns the runtime for jobs with an image, as far as known. Undefined if they run without a runtime. */
  usualRuntime(): Pick<Runtime, "name" | "isRootless"> | undefined {
    const found = this.#found;
    if (found && !("problem" in found)) return found;
    const choice = this.#choice;
    // Jobs wait for a runtime that the administrator asks for.
    const name = choice !== "auto" ? choice : found ? undefined : installedRuntimes(choice)[0];
    return name && { name, isRootless: process.getuid?.() !== 0 };
  }

  get hasDefaultImage(): boolean {
    return this.#options.defaultImage !== undefined;
  }

  /**
   * Returns why jobs run without containers. Undefined if jobs run in containers, or wait for the configured
   * runtime.
   */
  async maybeAbsence(): Promise<string | undefined> {
    const runtime = await this.runtime();
    return this.#choice === "auto" && "problem" in runtime ? runtime.problem : undefined;
  }

  async #withRuntime(runtime: Runtime, name: ImageName, request: JobRequest): Promise<Waiting | undefined> {
    const keep = (image: LocalImage) => this.#keep(request.id, { runtime, name, image });
    const waitAgain = (error: unknown) => {
      if (!(error instanceof RuntimeFailure)) throw error;
      this.#runtime = undefined;
      return this.#waitForRuntime(error.message, request);
    };
    try {
      const wanted = await this.#images.want(runtime, name, request.secrets);
      if ("image" in wanted) return keep(wanted.image);
      return waitingFor(wanted.reason, wanted.arrives.then(keep).catch(waitAgain));
    } catch (error) {
      return waitAgain(error);
    }
  }

  async #prepareLater(request: JobRequest): Promise<Waiting | undefined> {
    await new Promise<void>((resolve) => this.#options.clock.after(NEXT_PROBE_AFTER_MS, resolve));
    return this.#wanted.has(request.id) ? this.prepare(request) : undefined;
  }

  /** Patterns of the images that jobs may use. Undefined allows all images. */
  get allowedImages(): readonly string[] | undefined {
    return this.#options.images.allowed;
  }

  imagePulls(): ImagePulls {
    return this.#images.pulls();
  }

  /** Returns why no job can run in an image of that name. */
  problemOf(image: string): string | undefined {
    try {
      this.#nameOf(image);
      return undefined;
    } catch (error) {
      if (error instanceof ImageProblem) return error.message;
      throw error;
    }
  }

  /**
   * Returns the digest of the image in which a job would run now: `UNKNOWN_DIGEST` if this machine lacks the
   * image, null without a container.
   */
  async presentDigest(wanted: string | null): Promise<string | null> {
    const image = wanted ?? this.#options.defaultImage;
    if (image === undefined) return null;
    const runtime = await this.runtime();
    if ("problem" in runtime) return this.#choice === "auto" ? null : UNKNOWN_DIGEST;
    try {
      return (await this.#images.maybeLocal(runtime, this.#nameOf(image)))?.digest ?? UNKNOWN_DIGEST;
    } catch (error) {
      // A job with this image would not start now.
      if (error instanceof ImageProblem || error instanceof RuntimeFailure) return UNKNOWN_DIGEST;
      throw error;
    }
  }

  #nameOf(image: string): ImageName {
    return wantedImage(image, this.allowedImages);
  }

  /** Returns whether the job, which has been prepared, runs in a container. */
  has(id: string): boolean {
    return Boolean(this.#prepared.get(id));
  }

  /** Returns the runtime in which a prepared job runs. Undefined if the job runs without a container. */
  runtimeOf(id: string): Runtime | undefined {
    return this.#prepared.get(id)?.runtime;
  }

  /** Forgets what was prepared for a job, and prepares no more. */
  forget(id: string): void {
    this.#wanted.delete(id);
    this.#prepared.delete(id);
  }

  /**
   * Returns the command of a prepared job, and writes what it needs. Undefined: the job runs without a container. Throws
   * if the job was not prepared, because it would run on the machine itself.
   */
  command(starting: StartingJob): ContainerCommand | undefined {
    const prepared = this.#prepared.get(starting.id);
    if (prepared === undefined) throw new Error(`The container of job ${starting.id} has not been prepared.`);
    return prepared === null ? undefined : containerCommand(prepared, starting, this.#options);
  }
}
