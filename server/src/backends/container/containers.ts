import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { JobRequest } from "#backends/backend";
import { type JobNetwork, networkOf } from "#backends/job-network";
import { writeBindHook } from "#backends/container/bind-hook";
import { containerName } from "#backends/container/end-container";
import { idFileOf, pidFileOf, recordContainer } from "#backends/container/started-container";
import { containerEnvironment } from "#backends/container/environment-file";
import { handOverWords } from "#backends/container/hand-over";
import { fullImageName, type ImageName, parseImageName } from "#backends/container/image-name";
import { ImageProblem, RuntimeFailure } from "#backends/container/image-problem";
import { type ImageOptions, Images } from "#backends/container/images";
import { bindsOf, boundParts, SECRETS_AT, TICKET_AT, userOf } from "#backends/container/job-container";
import type { LocalImage } from "#backends/container/local-image";
import { type Bind, runWords } from "#backends/container/run-words";
import {
  findRuntime,
  installedRuntimes,
  type NoRuntime,
  type Runtime,
  type RuntimeChoice,
  type RuntimeName,
} from "#backends/container/runtime";
import { runtimeEnvironment } from "#backends/container/runtime-environment";
import { type MeasureDisk, missingSpace } from "#backends/container/storage-space";
import { NO_KINIT, type Ticket, TICKET_VARIABLE, withOwnTicket } from "#backends/local/kerberos/ticket";
import { makeSecretsFolder } from "#backends/local/attempt/secret-files";
import { markOfJob } from "#backends/local/processes/marked-processes";
import type { Clock } from "#plumbing/clock";
import { printable } from "#plumbing/text/printable";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { ImagePulls } from "#workflow/capabilities";
import { UNKNOWN_DIGEST } from "#workflow/job/image-digest";
import type { Command, Job } from "#workflow/job/job";
import { SECRETS_FOLDER_VARIABLE } from "#workflow/people/secret";

export interface ContainerOptions {
  readonly choice: Exclude<RuntimeChoice, "none">;
  readonly hostId: string;
  readonly images: ImageOptions;
  /** The image of jobs that name none. Absent: they run without a container. */
  readonly defaultImage?: string | undefined;
  /** Processes that a job may have at once. Default: the runtime's own limit. */
  readonly maxProcesses?: number | undefined;
  /** Which jobs may use the network. Default: `on`. */
  readonly network?: JobNetwork | undefined;
  /** The folder in which this machine has CVMFS. Default: `/cvmfs`. */
  readonly cvmfs?: string | undefined;
  /** Folders of this machine that every job may read at their own paths. */
  readonly readable?: readonly string[] | undefined;
  /** Replaces the look at the runtime's disk. */
  readonly measureDisk?: MeasureDisk | undefined;
  readonly clock: Clock;
  readonly log: { error(details: object, message: string): void };
}

/** A job that cannot start yet. */
export interface Waiting {
  /** The reason, as the end of a sentence. */
  readonly reason: string;
  /** Resolves to what the job waits for next, or undefined once it is prepared. Rejects if it can never start. */
  readonly arrives: Promise<Waiting | undefined>;
}

/** The job may have ended before anything waits for this: a failure must not end the server then. */
function waitingFor(reason: string, arrives: Waiting["arrives"]): Waiting {
  arrives.catch(() => undefined);
  return { reason, arrives };
}

/** A job that is about to start. All paths are absolute. */
export interface StartingJob {
  readonly id: string;
  readonly job: Job;
  /** All of its variables, secret ones too. */
  readonly environment: Readonly<Record<string, string>>;
  readonly workspaceFolder: string;
  readonly attemptFolder: string;
  readonly scratchFolder: string;
  /** True if the job has secrets that are files. */
  readonly hasSecretFiles: boolean;
  /** The job's Kerberos ticket. Absent: it needs none. */
  readonly ticket?: Ticket | undefined;
  /** Writes a script that is too long for an argument, and returns its file. */
  writeScript(script: string): string | undefined;
}

/** The program that a slot runs for a job in a container, and its environment. */
export interface ContainerCommand {
  readonly argv: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** The file from which the runtime reads the job's variables, and what it must hold. */
  readonly environmentFile: string;
  readonly lines: string;
  /** A line at the beginning of the job's log, with its newline. */
  readonly notice?: string;
}

interface Prepared {
  readonly runtime: Runtime;
  readonly name: ImageName;
  readonly image: LocalImage;
}

const SCRIPT = fileURLToPath(new URL("./container-job.sh", import.meta.url));
/** Interval between probes of a runtime that the administrator asks for and that does not work, or has too little space. */
const NEXT_PROBE_AFTER_MS = 5000;

/** Runs the jobs that name an image in containers: finds the runtime and the image, and says what a slot runs. */
export class Containers {
  readonly #options: ContainerOptions;
  readonly #images: Images;
  /** Jobs that are prepared, or being prepared. */
  readonly #wanted = new Set<string>();
  /** Null: the job runs without a container. */
  readonly #prepared = new Map<string, Prepared | null>();
  /** The runtime that works, once there is one: no job then runs without a container because it has failed. */
  #choice: ContainerOptions["choice"];
  #runtime: Promise<Runtime | NoRuntime> | undefined;
  #found: Runtime | NoRuntime | undefined;

  constructor(options: ContainerOptions) {
    this.#options = options;
    this.#choice = options.choice;
    this.#images = new Images(options.images, options.log);
  }

  /**
   * Prepares a job to run in its image. Returns what it waits for, if it has to wait. Throws an `ImageProblem` if it can
   * never start. A job without an image runs without a container, and so does every job if the choice is `auto` and no
   * runtime works.
   */
  async prepare(request: JobRequest): Promise<Waiting | undefined> {
    const image = request.job.image ?? (request.job.isHostProgram ? undefined : this.#options.defaultImage);
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
    return this.#waitForRuntime(this.#choice, runtime.problem, request);
  }

  #missingSpace(runtime: Runtime): string | undefined {
    return missingSpace(runtime, this.#options.measureDisk);
  }

  /** Prepares a job that needs no container. */
  prepareWithout(id: string): undefined {
    this.#wanted.add(id);
    this.#keep(id, null);
  }

  /** A job may be forgotten while it is being prepared. */
  #keep(id: string, prepared: Prepared | null): undefined {
    if (this.#wanted.has(id)) this.#prepared.set(id, prepared);
  }

  #waitForRuntime(name: RuntimeName, problem: string, request: JobRequest): Waiting {
    return waitingFor(`${name}, which does not work. ${problem}`, this.#prepareLater(request));
  }

  /** Returns the runtime, or why there is none. The first one that works is used from then on. */
  async runtime(): Promise<Runtime | NoRuntime> {
    this.#runtime ??= findRuntime(this.#choice);
    const runtime = await this.#runtime;
    if ("problem" in runtime) this.#runtime = undefined;
    else this.#choice = runtime.name;
    this.#found = runtime;
    return runtime;
  }

  /** Returns the runtime in which jobs with an image run, as far as it is known. Undefined: they run without one. */
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

  /** Returns why jobs run without containers. Undefined if they do not, or wait for the runtime that was asked for. */
  async maybeAbsence(): Promise<string | undefined> {
    const runtime = await this.runtime();
    return this.#choice === "auto" && "problem" in runtime ? runtime.problem : undefined;
  }

  async #withRuntime(runtime: Runtime, name: ImageName, request: JobRequest): Promise<Waiting | undefined> {
    const keep = (image: LocalImage) => this.#keep(request.id, { runtime, name, image });
    const waitAgain = (error: unknown) => {
      if (!(error instanceof RuntimeFailure)) throw error;
      this.#runtime = undefined;
      return this.#waitForRuntime(runtime.name, error.message, request);
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

  /** Patterns of the images that jobs may use. Undefined: all. */
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
   * Returns the digest of the image in which a job would run now: `UNKNOWN_DIGEST` if it is not on this machine, null
   * without a container.
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
    const name = parseImageName(image);
    if (!name) throw new ImageProblem(`"${printable(image, 200)}" cannot be the name of an image.`);
    this.#images.checkAllowed(name, printable(image, 300));
    return name;
  }

  /** Returns whether the job, which has been prepared, runs in a container. */
  has(id: string): boolean {
    return Boolean(this.#prepared.get(id));
  }

  /** Returns the runtime in which the job runs, which has been prepared. Undefined: it runs without a container. */
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
    if (prepared === null) return undefined;
    const { runtime, image } = prepared;
    const { id, job, workspaceFolder, attemptFolder } = starting;
    const secretsFolder = makeSecretsFolder(attemptFolder);
    const label = markOfJob(this.#options.hostId, id);
    const user = userOf(job, runtime);
    const { hasNetwork, notice } = networkOf(job, this.#options.network ?? "on");
    const { command, files, lines } = withVariables(withTicket(starting), secretsFolder);
    const environmentFile = path.join(secretsFolder, "container.env");
    const scriptFile = "script" in command ? starting.writeScript(command.script) : undefined;
    const binds = bindsOf(job, {
      workspaceFolder,
      scratchFolder: starting.scratchFolder,
      files: scriptFile === undefined ? files : [...files, scriptFile],
      ticket: starting.ticket,
      cvmfs: this.#options.cvmfs,
      readable: this.#options.readable,
      secretFiles: starting.hasSecretFiles ? path.join(secretsFolder, "files") : undefined,
    });
    const words = runWords(runtime, {
      name: containerName(this.#options.hostId, id),
      label,
      imageId: image.id,
      command,
      ...(scriptFile !== undefined && { scriptFile }),
      environmentFile,
      pidFile: pidFileOf(attemptFolder),
      idFile: idFileOf(attemptFolder),
      memoryBytes: job.limits?.memoryBytes,
      cores: job.limits?.cores,
      maxProcesses: this.#options.maxProcesses,
      binds,
      hookFolders: hookFoldersOf(runtime, binds, workspaceFolder, secretsFolder),
      user,
      hasNetwork,
      workingFolder: workingFolderOf(job, workspaceFolder),
      readsInput: job.stdin !== undefined,
      isMerged: job.stdout === job.stderr,
    });
    const { name: runtimeName, program } = runtime;
    // Docker runs the job as the server's user, and so does a podman without root.
    const makesFilesAs = runtimeName === "podman" && !runtime.isRootless ? user.uid : undefined;
    recordContainer(attemptFolder, {
      runtime: { name: runtimeName, program },
      image: fullImageName(prepared.name),
      digest: image.digest,
      ...(runtimeName === "docker" && { memoryBytes: job.limits?.memoryBytes }),
      makesFilesAs,
    });
    const handOver = makesFilesAs === undefined ? [] : handOverWords(workspaceFolder, makesFilesAs);
    const argv =
      runtime.name === "podman"
        ? (["/bin/bash", "--norc", SCRIPT, String(handOver.length), ...handOver, ...words] as const)
        : words;
    const { REPRISE_JOB_ID = "", REPRISE_JOB_MARK = "" } = starting.environment;
    return {
      argv,
      environmentFile,
      lines,
      environment: { ...runtimeEnvironment(), REPRISE_JOB_ID, REPRISE_JOB_MARK },
      ...(notice !== undefined && { notice }),
    };
  }
}

/** Returns the folders of hooks for a container that shows parts of the workspace. Only podman has hooks. */
function hookFoldersOf(
  { name }: Runtime,
  binds: readonly Bind[],
  workspaceFolder: string,
  secretsFolder: string,
): readonly string[] {
  const parts = boundParts(binds, workspaceFolder);
  if (name !== "podman" || parts.length === 0 || process.platform !== "linux") return [];
  return writeBindHook(path.join(secretsFolder, "hooks"), workspaceFolder, parts);
}

/** Returns the folder in which the command starts: where the job mounts its working folder, if it does. */
function workingFolderOf({ workingFolder = "", mounts = [] }: Job, workspaceFolder: string): string {
  return mounts.find(({ from }) => from === workingFolder)?.at ?? path.join(workspaceFolder, workingFolder);
}

/** Returns the job with the place of its Kerberos ticket, which its image requests if this machine cannot. */
function withTicket(starting: StartingJob): StartingJob {
  const { job, ticket } = starting;
  if (!ticket) return starting;
  const environment = {
    ...starting.environment,
    [TICKET_VARIABLE]: path.posix.join(TICKET_AT, ticket.file),
  };
  if (ticket.kinit !== undefined) return { ...starting, environment };
  if ("argv" in job.command) throw new ImageProblem(NO_KINIT);
  const script = withOwnTicket(job.command.script, ticket, SECRETS_AT);
  return { ...starting, environment, job: { ...job, command: { script } } };
}

/** Returns how the variables of a job reach its command. Those that the runtime cannot read are written for a shell. */
function withVariables(
  { job, environment, hasSecretFiles }: StartingJob,
  secretsFolder: string,
): { readonly command: Command; readonly files: readonly string[]; readonly lines: string } {
  const values = hasSecretFiles ? { ...environment, [SECRETS_FOLDER_VARIABLE]: SECRETS_AT } : environment;
  const { lines, exports } = containerEnvironment(values);
  if (exports === "") return { command: job.command, files: [], lines };
  if ("argv" in job.command)
    throw new ImageProblem(
      "A variable of the job has several lines, or is longer than 60,000 bytes: it cannot be given to a program in a " +
        "container. Make the secret a file, or run the program by a script.",
    );
  const file = path.join(secretsFolder, "variables.sh");
  writeFileSync(file, exports, { mode: 0o600 });
  const command = { script: `. ${shellQuote(file)}\n${job.command.script}` };
  return { command, files: [file], lines };
}
