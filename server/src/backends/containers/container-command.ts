import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type JobNetwork, networkOf } from "#backends/job-network";
import { writeBindHook } from "#backends/containers/bind-hook";
import { maybeCallProfile } from "#backends/containers/call-profile";
import { containerName } from "#backends/containers/end-container";
import { containerEnvironment } from "#backends/containers/environment-file";
import { handOverWords } from "#backends/containers/hand-over";
import { fullImageName, type ImageName } from "#backends/containers/images/image-name";
import { ImageProblem } from "#backends/containers/image-problem";
import type { DeviceNode, Gpu } from "#backends/gpus/gpu";
import { bindsOf, boundParts, CREDENTIALS_AT, SECRETS_AT, userOf } from "#backends/containers/job-container";
import type { LocalImage } from "#backends/containers/images/local-image";
import { deviceWords } from "#backends/containers/device-words";
import { apptainerWords, startScript } from "#backends/containers/apptainer/apptainer-words";
import { apptainerProfile, profilesOf } from "#backends/containers/apptainer/apptainer-runtime";
import { rootOfImage } from "#backends/containers/images/unpacked/unpacked-images";
import { type Bind, runWords } from "#backends/containers/run-words";
import type { Runtime } from "#backends/containers/runtime";
import { runtimeEnvironment } from "#backends/containers/runtime-environment";
import { idFileOf, pidFileOf, recordContainer } from "#backends/containers/started-container";
import { makeSecretsFolder, writeInSecrets } from "#backends/process/attempt/secret-files";
import { type Credentials, credentialVariables } from "#backends/walls/credentials";
import { NO_KINIT, withOwnTicket } from "#backends/walls/kerberos/ticket";
import { markOfJob } from "#backends/process/table/marked-processes";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { Command, Job } from "#workflow/job/job";
import { SECRETS_FOLDER_VARIABLE } from "#workflow/people/secret";

export interface ContainerCommandOptions {
  readonly hostId: string;
  /** Processes that a job may have at once. Default: the runtime's own limit. */
  readonly maxProcesses?: number | undefined;
  /** Jobs that may use the network. Default: `on`. */
  readonly network?: JobNetwork | undefined;
  /** The folder of CVMFS on this machine. Default: `/cvmfs`. */
  readonly cvmfs?: string | undefined;
  /** Folders of this machine for every job to read, at unchanged paths. */
  readonly readable?: readonly string[] | undefined;
}

/** A job that is about to start. All paths are absolute. */
export interface StartingJob {
  readonly id: string;
  readonly job: Job;
  /** All variables of the job, including secrets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly workspaceFolder: string;
  readonly attemptFolder: string;
  readonly scratchFolder: string;
  /** True if the job has secrets in files. */
  readonly hasSecretFiles: boolean;
  readonly credentials: Credentials;
  /** GPUs of the job, with the device nodes that they need. */
  readonly devices: { readonly gpus: readonly Gpu[]; readonly nodes: readonly DeviceNode[] };
  /** Writes a script that is too long for an argument, and returns its file. */
  writeScript(script: string): string | undefined;
}

/** The program that a slot runs for a job in a container, with its environment. */
export interface ContainerCommand {
  readonly argv: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** The file from which the runtime reads the job's variables, and its required content. */
  readonly environmentFile: string;
  readonly lines: string;
  /** A line at the beginning of the job's log, with its newline. */
  readonly notice?: string;
  /** The user of the machine that the job's files belong to. Default: the server's. */
  readonly makesFilesAs?: number | undefined;
}

/** The image in which a prepared job runs. */
export interface PreparedImage {
  readonly runtime: Runtime;
  readonly name: ImageName;
  readonly image: LocalImage;
}

const SCRIPT = fileURLToPath(new URL("./container-job.sh", import.meta.url));
/** Returns the command with which a slot runs a job in a container, and writes the files for the command. */
export function containerCommand(
  { runtime, name, image }: PreparedImage,
  starting: StartingJob,
  options: ContainerCommandOptions,
): ContainerCommand {
  const { id, job, workspaceFolder, attemptFolder } = starting;
  const secretsFolder = makeSecretsFolder(attemptFolder);
  const user = userOf(job, runtime);
  const { hasNetwork, notice } = networkOf(job, options.network ?? "on");
  const { command, files, lines } = withVariables(runtime, withCredentials(starting));
  const environmentFile = path.join(secretsFolder, "container.env");
  const scriptFile = "script" in command ? starting.writeScript(command.script) : undefined;
  const binds = bindsOf(job, {
    workspaceFolder,
    scratchFolder: starting.scratchFolder,
    files: scriptFile === undefined ? files : [...files, scriptFile],
    credentials: starting.credentials,
    cvmfs: options.cvmfs,
    readable: options.readable,
    secretFiles: starting.hasSecretFiles ? path.join(secretsFolder, "files") : undefined,
  });
  const container = {
    name: containerName(options.hostId, id),
    label: markOfJob(options.hostId, id),
    imageId: image.id,
    command,
    ...(scriptFile !== undefined && { scriptFile }),
    environmentFile,
    pidFile: pidFileOf(attemptFolder),
    idFile: idFileOf(attemptFolder),
    memoryBytes: job.limits?.memoryBytes,
    cores: job.limits?.cores,
    maxProcesses: options.maxProcesses,
    binds,
    devices: deviceWords(runtime, starting.devices),
    hookFolders: hookFoldersOf(runtime, binds, starting),
    user,
    callProfile: callProfileOf(runtime, attemptFolder),
    hasNetwork,
    workingFolder: workingFolderOf(job, workspaceFolder),
    readsInput: job.stdin !== undefined,
    isMerged: job.stdout === job.stderr,
  };
  const words =
    runtime.name === "apptainer"
      ? apptainerWords(runtime, { ...container, ...apptainerFiles(runtime, image, attemptFolder) })
      : runWords(runtime, container);
  // Docker runs the job as the server's user, and so do podman and apptainer without root.
  const makesFilesAs = runtime.name !== "docker" && !runtime.isRootless ? user.uid : undefined;
  recordContainer(attemptFolder, {
    runtime: { name: runtime.name, program: runtime.program },
    image: fullImageName(name),
    digest: image.digest,
    ...(limitsMemory(runtime) && { memoryBytes: job.limits?.memoryBytes }),
    makesFilesAs,
  });
  const { REPRISE_JOB_ID = "", REPRISE_JOB_MARK = "" } = starting.environment;
  return {
    argv: runtime.name !== "docker" ? underShell(words, workspaceFolder, makesFilesAs) : words,
    environmentFile,
    lines,
    environment: { ...runtimeEnvironment(), REPRISE_JOB_ID, REPRISE_JOB_MARK },
    ...(notice !== undefined && { notice }),
    makesFilesAs,
  };
}

/** Returns whether the runtime itself ends a job at its limit of memory. The server limits the processes of Apptainer itself. */
function limitsMemory({ name, isRootless }: Runtime): boolean {
  return name === "docker" || (name === "podman" && !isRootless);
}

/** Returns the places that only Apptainer needs, and makes the files and the folder among them. */
function apptainerFiles(runtime: Runtime, { id, entrypoint = [] }: LocalImage, attemptFolder: string) {
  const upperFolder = makeSecretsFolder(attemptFolder, "root");
  writeFileSync(idFileOf(attemptFolder), "", { mode: 0o600 });
  return { image: path.isAbsolute(id) ? id : rootOfImage(runtime, id), entrypoint, upperFolder };
}

/** Returns the command of the shell that runs podman, and hands over the files that the job has made. */
function underShell(
  words: readonly string[],
  workspaceFolder: string,
  makesFilesAs: number | undefined,
): readonly [string, ...string[]] {
  const handOver = makesFilesAs === undefined ? [] : handOverWords(workspaceFolder, makesFilesAs);
  return ["/bin/bash", "--norc", SCRIPT, String(handOver.length), ...handOver, ...words];
}

/** Writes the profile of system calls for podman and apptainer. Docker's own refuses the same calls, VSOCK from version 23 on. */
function callProfileOf({ name, program }: Runtime, attemptFolder: string): string | undefined {
  const isApptainer = name === "apptainer";
  const profile = name === "docker" ? undefined : maybeCallProfile(isApptainer ? profilesOf(program) : []);
  if (profile === undefined) return undefined;
  return writeInSecrets(attemptFolder, "calls.json", isApptainer ? apptainerProfile(profile) : profile);
}

/** Returns the folders of hooks for a container that shows parts of the workspace. Only podman has hooks. */
function hookFoldersOf(
  { name }: Runtime,
  binds: readonly Bind[],
  { workspaceFolder, attemptFolder }: StartingJob,
): readonly string[] {
  const parts = boundParts(binds, workspaceFolder);
  if (name !== "podman" || parts.length === 0 || process.platform !== "linux") return [];
  return writeBindHook(attemptFolder, workspaceFolder, parts);
}

/**
 * Returns the folder in which the command starts: the mount point of the job's working folder, if mounted.
 */
function workingFolderOf({ workingFolder = "", mounts = [] }: Job, workspaceFolder: string): string {
  return mounts.find(({ from }) => from === workingFolder)?.at ?? path.join(workspaceFolder, workingFolder);
}

/**
 * Returns the job with the paths of its credentials. The job's image requests the ticket if this machine
 * cannot.
 */
function withCredentials(starting: StartingJob): StartingJob {
  const { job, credentials } = starting;
  const environment = { ...starting.environment, ...credentialVariables(credentials, CREDENTIALS_AT) };
  const { ticket } = credentials;
  if (!ticket || ticket.kinit !== undefined) return { ...starting, environment };
  if ("argv" in job.command) throw new ImageProblem(NO_KINIT);
  const script = withOwnTicket(job.command.script, ticket, SECRETS_AT);
  return { ...starting, environment, job: { ...job, command: { script } } };
}

/**
 * Returns how the variables of a job reach its command. Variables that the runtime cannot read are written
 * for a shell.
 */
function withVariables(
  { name }: Runtime,
  { job, environment, hasSecretFiles, attemptFolder }: StartingJob,
): {
  readonly command: Command;
  readonly files: readonly string[];
  readonly lines: string;
} {
  const values = hasSecretFiles ? { ...environment, [SECRETS_FOLDER_VARIABLE]: SECRETS_AT } : environment;
  if (name === "apptainer")
    return { command: job.command, files: [], lines: startScript(values, idFileOf(attemptFolder)) };
  const { lines, exports } = containerEnvironment(values);
  if (exports === "") return { command: job.command, files: [], lines };
  if ("argv" in job.command)
    throw new ImageProblem(
      "A variable of the job has several lines, or is longer than 60,000 bytes: it cannot be given to a program in a " +
        "container. Make the secret a file, or run the program by a script.",
    );
  const file = writeInSecrets(attemptFolder, "variables.sh", exports);
  const command = { script: `. ${shellQuote(file)}\n${job.command.script}` };
  return { command, files: [file], lines };
}
