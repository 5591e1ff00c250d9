import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JobRequest } from "#backends/backend";
import { howToRun } from "#backends/local/orders/how-to-run";
import { pairsOf, readingExports, type Values } from "#backends/local/orders/job-variables";
import { checkShellSafe } from "#backends/local/orders/shell-safe";
import { scratchFolder } from "#backends/process/attempt/attempt-folder";
import {
  secretEnvironment,
  writeSecretExports,
  writeSecretFiles,
} from "#backends/process/attempt/secret-files";
import { HOST_ENVIRONMENT } from "#backends/process/slots/host-environment";
import { startFunctions } from "#backends/process/slots/start-functions";
import { MARK, markOfJob } from "#backends/process/table/marked-processes";
import { containedStart, maybeNodeImage, type NodeContainers } from "#backends/record/node-containers";
import type { RecordFiles } from "#backends/record/record-files";
import { declaredFolders, madeFolders } from "#backends/record/made-files";
import { unenforcedNotice } from "#backends/unenforced";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { BackendCapabilities } from "#workflow/capabilities";
import type { Command } from "#workflow/job/job";

export interface OrderOptions {
  readonly hostId: string;
  /** Limit on the output of a job in bytes. A job that prints more is ended. */
  readonly maxOutputBytes: number;
  /** Environment variables of every job. */
  readonly environment?: Values | undefined;
  /** The variables of the cluster that hold the number of a job and its restarts. */
  readonly outsideVariables: { readonly id: string; readonly restart: string; readonly node?: string };
  /** How a node runs steps with an image. Default: without the image. */
  readonly nodeContainers?: NodeContainers | undefined;
  /** True if jobs run in images. A job then sees only the workspace and the record. */
  readonly inImage?: true;
  readonly capabilities: Pick<BackendCapabilities, "provides">;
  /** Returns a time limit that the step set for the cluster, in milliseconds. */
  readonly ownTimeMs?: (request: JobRequest) => number | undefined;
}

/** Files that the supervisor of a job awaits on its node. */
export interface Awaited {
  /** Lines about files that earlier jobs made in the workspace. */
  readonly expected: string;
  /** How long a file may stay invisible. */
  readonly visibleMs: number;
  readonly nowMs: number;
}

/** Puts the record of a job in place. Returns false if there is one already. */
export function putRecord(
  files: RecordFiles,
  request: JobRequest,
  options: OrderOptions,
  awaited: Awaited,
): boolean {
  checkShellSafe(request);
  return files.put(request.id, (folder) => {
    mkdirSync(scratchFolder(folder), { mode: 0o700 });
    writeStart(request, { made: folder, folder: files.folderOf(request.id) }, options);
    if (awaited.expected !== "")
      writeFileSync(path.join(folder, "expected"), awaited.expected, { mode: 0o600 });
    writeFileSync(path.join(folder, "order"), orderText(files, request, options, awaited), { mode: 0o700 });
    // The mask of the server does not count.
    chmodSync(path.join(folder, "order"), 0o700);
    if (options.inImage) openToGroup(folder);
    if (options.inImage && request.job.user) addGroupRights(request.workspaceFolder);
  });
}

/** Writes the script `start`. For a step with an image, `start` runs the script `inside` in a container of the node. */
function writeStart(request: JobRequest, folders: Folders, options: OrderOptions): void {
  const { id, job, workspaceFolder } = request;
  const { nodeContainers: containers, hostId } = options;
  const write = (name: string, text: string) =>
    writeFileSync(path.join(folders.made, name), text, { mode: 0o600 });
  const image = maybeNodeImage(job.image, containers);
  if (!containers || image === undefined) return write("start", startText(request, folders, options));
  write("inside", startText(request, folders, { ...options, inImage: true }));
  const contained = { id, image, mark: markOfJob(hostId, id), workspaceFolder };
  for (const [name, text] of Object.entries(containedStart(containers, contained, folders)))
    write(name, text);
}

/** Returns the script that supervises the job. */
function orderText(
  files: RecordFiles,
  request: JobRequest,
  options: OrderOptions,
  { visibleMs, nowMs }: Awaited,
): string {
  const { id, job, workspaceFolder } = request;
  const { timeMs, memoryBytes } = job.limits ?? {};
  const limits = [timeMs, options.ownTimeMs?.(request)].filter((limit) => limit !== undefined);
  const folders = madeFolders(job);
  const values = {
    record: files.folderOf(id),
    workspace: workspaceFolder,
    news: options.inImage ? "/dev/null" : files.newsOf(id),
    mark: markOfJob(options.hostId, id),
    mask: process.umask().toString(8).padStart(4, "0"),
    time_limit: String(limits.length === 0 ? 0 : Math.max(1, Math.ceil(Math.min(...limits) / 1000))),
    output_limit: String(options.maxOutputBytes),
    // In an image, the kernel keeps the limit of the container.
    memory_limit: String(memoryBytes === undefined || options.inImage ? 0 : Math.ceil(memoryBytes / 1024)),
    in_image: options.inImage ? "yes" : "",
    awaited_until: String(Math.ceil((nowMs + AWAITED_TIMES * visibleMs) / 1000)),
    await_limit: String(Math.ceil(visibleMs / 1000)),
    lists_made: folders.length > 0 ? "yes" : "",
    digested_bytes: String(DIGESTED_MAX_BYTES),
  };
  const { outsideVariables: names } = options;
  return [
    "#!/bin/sh",
    ...Object.entries(values).map(([name, value]) => `${name}=${shellQuote(value)}`),
    `outside=\${${names.id}:-}`,
    `restart=\${${names.restart}:-0}`,
    names.node === undefined ? "node=" : `node=\${${names.node}:-}`,
    finder("find_made", folders),
    finder("find_declared", declaredFolders(job)),
    readFileSync(JOB, "utf8"),
  ].join("\n");
}

/** Returns a function of the shell that looks for files in some folders. */
function finder(name: string, folders: readonly string[]): string {
  if (folders.length === 0) return `${name}() { :; }`;
  return `${name}() { find ${folders.map((folder) => shellQuote(`./${folder}`)).join(" ")} "$@"; }`;
}

/** Limit on the bytes of declared outputs that are read for digests, on the node and on the server. */
const DIGESTED_MAX_BYTES = 2 ** 30;

/** Afterwards no machine remembers that a file was absent, and the supervisor does not look. */
const AWAITED_TIMES = 2;

const JOB = new URL("./job.sh", import.meta.url);

/** The folder of a record while it is made, and its folder in place. */
interface Folders {
  readonly made: string;
  readonly folder: string;
}

/** Returns the script that becomes the command of the job. */
function startText(request: JobRequest, { made, folder }: Folders, options: OrderOptions): string {
  const { id, job, workspaceFolder, secrets } = request;
  const marks = { REPRISE_JOB_ID: id, [MARK]: markOfJob(options.hostId, id) };
  const own = { HOME: scratchFolder(folder), ...options.environment, ...job.environment, ...marks };
  const command = withSecrets(job.command, request, { made, folder }, own);
  const environment = secrets ? { ...secretsVariable(folder, secrets), ...own } : own;
  const given = pairsOf(environment);
  const host = options.inImage ? { ...HOST_ENVIRONMENT, PATH: IMAGE_PATH } : HOST_ENVIRONMENT;
  const how = howToRun(command, environment, given, made, host).map((word) => word.replaceAll(made, folder));
  // Programs may have other paths on a node, so bash looks for the program on the node.
  const words = how[0] === "as_program" ? ["in_bash", how[1]!] : how;
  const notice = unenforcedNotice(job, options.capabilities.provides()) ?? "";
  return [
    "LC_ALL=C SHLVL=1",
    startFunctions(),
    `folder=${shellQuote(folder)} workspace=${shellQuote(workspaceFolder)} ticket=() proxy=()`,
    `working=${shellQuote(job.workingFolder ?? "")} input=${shellQuote(job.stdin ?? "")}`,
    `output=${shellQuote(job.stdout ?? "")} errors=${shellQuote(job.stderr ?? "")}`,
    `given() { export ${given.map(shellQuote).join(" ")}; }`,
    `printf %s ${shellQuote(notice)}`,
    `start() { prepare "$@" 6>&2; "$@"; }`,
    `start ${words.map(quoteWord).join(" ")}`,
    "",
  ].join("\n");
}

/** Stands for the PATH that the image gives to the job. No word of a job holds a NUL. */
const IMAGE_PATH = "\0PATH";

function quoteWord(word: string): string {
  const before = word.indexOf(IMAGE_PATH);
  return before === -1 ? shellQuote(word) : `"${word.slice(0, before)}$PATH"`;
}

/** Gives the group of a folder the rights of its owner: a step may name another user (`kubernetes_uid`), in the same group. */
function openToGroup(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) openToGroup(file);
    else addGroupRights(file);
  }
  addGroupRights(folder);
}

function addGroupRights(file: string): void {
  const mode = statSync(file).mode & 0o777;
  chmodSync(file, mode | ((mode & 0o700) >> 3));
}

/** Only the folder of the secret files is in the environment: other users of a node see the arguments of a program. */
function secretsVariable(folder: string, secrets: NonNullable<JobRequest["secrets"]>): Values {
  return secretEnvironment(folder, { ...secrets, environment: {} });
}

/** Writes the secrets, and returns a command that reads them. A variable in the job's own specification wins. */
function withSecrets(command: Command, { secrets }: JobRequest, folders: Folders, own: Values): Command {
  if (!secrets) return command;
  writeSecretFiles(folders.made, secrets);
  const given = Object.entries(secrets.environment).filter(([name]) => !Object.hasOwn(own, name));
  if (given.length === 0) return command;
  const file = writeSecretExports(folders.made, Object.fromEntries(given));
  return readingExports(command, path.join(folders.folder, path.relative(folders.made, file)));
}
