import { closeSync, existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JobRequest } from "#backends/backend";
import type { Containers } from "#backends/container/containers";
import type { JobGroups } from "#backends/local/cgroups/job-groups";
import { unenforcedNotice } from "#backends/unenforced";
import { bindSources } from "#backends/local/bind-sources";
import { featuresFor } from "#backends/local/capabilities";
import { maybeOpenAttemptFile } from "#backends/local/attempt/attempt-file";
import { makeFolder, scratchFolder } from "#backends/local/attempt/attempt-folder";
import { DamagedAttempt } from "#backends/local/attempt/damaged-attempt";
import {
  standInProblem,
  type ImageSettings,
  inStandIn,
  maybeStandIn,
  standInNotice,
} from "#backends/local/images/image-map";
import { MARK, markOfJob } from "#backends/local/processes/marked-processes";
import { isInherited, isSpecial } from "#backends/local/walls/inside-variables";
import type { Wall } from "#backends/local/walls/wall";
import {
  maybeTicket,
  NO_KINIT,
  type Ticket,
  type TicketOptions,
  TICKET_VARIABLE,
  ticketWords,
} from "#backends/local/kerberos/ticket";
import { plainWords } from "#backends/local/slots/plain-command";
import {
  secretEnvironment,
  secretsFolder,
  writeSecretExports,
  writeSecretFiles,
} from "#backends/local/attempt/secret-files";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { Command, Job } from "#workflow/job/job";

export interface OrderOptions extends TicketOptions {
  readonly hostId: string;
  readonly maxOutputBytes: number;
  /** Processes that a job may have at once. Default: as many as the machine allows. */
  readonly maxProcesses?: number | undefined;
  /** Bytes that a job may write to disk. Default: no limit. */
  readonly maxDiskBytes?: number | undefined;
  /** Files that the workspace of a job may hold, with its home and its temporary files. Default: no limit. */
  readonly maxFiles?: number | undefined;
  /** The wall between the jobs and the machine. If absent, there is none. */
  readonly wall?: Wall | undefined;
  /** The control groups in which the kernel limits jobs. Absent: it does not. */
  readonly groups?: JobGroups | undefined;
  /** Stand-ins for container images. */
  readonly images?: ImageSettings;
  /** Runs the jobs that name an image. Absent: they run without it. */
  readonly containers?: Containers | undefined;
}

/** Returns the order that slot.sh carries out: shell code, preceded by its length. */
export function orderOf(given: JobRequest, folder: string, options: OrderOptions): Buffer {
  const { job, notice: imageNotice } = inEnvironment(given, options);
  const request = { ...given, job };
  const { id, workspaceFolder } = request;
  const variables = variablesOf(request, folder, options);
  const provides = featuresFor(id, options);
  const grouped = groupWords(id, job, options);
  const isTimeCounted = options.groups?.countTime === true && grouped.length === 0;
  const run =
    (options.containers && inContainer(options.containers, request, folder, variables)) ??
    (options.wall && behindWall(options.wall, request, folder, variables, isTimeCounted)) ??
    withoutWall(job, folder, variables);
  const timeLimit = Math.ceil((job.limits?.timeMs ?? 0) / MS_PER_TICK);
  const attempt = [id, folder, workspaceFolder, String(timeLimit), measuredLimits(job, options), ...run.how];
  const placed = placement(job, run, [imageNotice, unenforcedNotice(job, provides), run.notice]);
  const ticketed = variables.ticket ? ticketWords(variables.ticket, folder, options) : [];
  const supervision = [...placed, ...grouped, ...ticketed, ...(run.supervision ?? [])];
  const code = `${functionsOf(run)}${quoted([...supervision, "attempt", ...attempt])}\n`;
  const bytes = Buffer.from(code);
  return Buffer.concat([Buffer.from(String(bytes.length).padStart(8, "0")), bytes]);
}

/** Returns the job as it runs in the stand-in for its image, or a job that only reports that there is no stand-in. */
function inEnvironment(
  { id, job }: JobRequest,
  options: OrderOptions,
): { readonly job: Job; readonly notice?: string } {
  const { images, containers, environment: common = {} } = options;
  if (!images || job.image === null || containers?.has(id)) return { job };
  const standIn = maybeStandIn(images, job.image);
  if (standIn) {
    const searchPath = common["PATH"] ?? HOST_ENVIRONMENT.PATH;
    return { job: inStandIn(job, standIn, searchPath), notice: standInNotice(job.image, standIn) };
  }
  const problem = standInProblem(images, job.image);
  if (problem === undefined) return { job };
  return { job: { ...job, command: { script: `exit ${CANNOT_EXECUTE}` } }, notice: `reprise: ${problem}\n` };
}

/** The runtime of a container limits it itself. */
function groupWords(id: string, { limits }: Job, { groups, containers }: OrderOptions): readonly string[] {
  const words = containers?.has(id) ? undefined : groups?.make(id, limits);
  return words ? ["grouped", ...words, "--"] : [];
}

/** The exit code of a shell for a program that cannot be executed. */
const CANNOT_EXECUTE = 126;

/**
 * Returns the limits of what is measured as one word of the order: output, memory, processes, bytes written, files. 0:
 * none.
 */
function measuredLimits({ limits = {} }: Job, options: OrderOptions): string {
  const { maxOutputBytes, maxProcesses = 0, maxDiskBytes = Infinity, maxFiles = 0 } = options;
  const diskBytes = Math.min(limits.diskBytes ?? Infinity, maxDiskBytes);
  const written = Number.isFinite(diskBytes) ? diskBytes : 0;
  const last = [limits.memoryBytes ?? 0, maxProcesses, written, ...(maxFiles > 0 ? [maxFiles] : [])];
  return [maxOutputBytes, ...(last.some((limit) => limit > 0) ? last : [])].join(" ");
}

type Values = Readonly<Record<string, string>>;

/** The variables of a job, by where they come from. */
interface Variables {
  /** Variables that the backend gives to every job. */
  readonly common: Values;
  /** The user's. */
  readonly secrets: Values;
  /** The job's own, which win. */
  readonly own: Values;
  /** If absent, the job needs none. */
  readonly ticket?: Ticket | undefined;
}

/** Writes the job's secrets, and returns its variables. */
function variablesOf(request: JobRequest, folder: string, options: OrderOptions): Variables {
  const { hostId, environment: common = {}, containers } = options;
  const { id, job } = request;
  const marks = { REPRISE_JOB_ID: id, [MARK]: markOfJob(hostId, id) };
  const home = Object.hasOwn(common, "HOME") ? {} : { HOME: scratchFolder(folder) };
  const ticket = maybeTicket(request, folder, options);
  if (ticket && ticket.kinit === undefined && !containers?.has(id)) throw new Error(NO_KINIT);
  const ofTicket = ticket && { [TICKET_VARIABLE]: path.join(ticket.folder, ticket.file) };
  const own = { ...home, ...job.environment, ...ofTicket, ...marks };
  return { common, secrets: secretsOf(request, folder, own), own, ticket };
}

/** The variables that a slot exports, as `NAME=value`, and the function of start-command.sh that runs the command. */
interface Run {
  readonly pairs: readonly string[];
  readonly how: readonly string[];
  /** The program that it executes, if that is not among its arguments. */
  readonly program?: readonly string[];
  /** True if the program opens the files of the job's input and output itself. */
  readonly opensFiles?: boolean;
  /** Words of slot.sh that precede the attempt. */
  readonly supervision?: readonly string[];
  /** A line at the beginning of the log. */
  readonly notice?: string | undefined;
}

/**
 * Returns the functions of an order. A long command stands in one, because bash copies all arguments of a function at each
 * call: 80 words through six calls take it 0.2 ms.
 */
function functionsOf({ pairs, program }: Run): string {
  const given = `given() { export ${quoted(pairs)}; }; `;
  return program ? `${given}program() { exec -- ${quoted(program)}; }; ` : given;
}

function withoutWall(job: Job, folder: string, { common, secrets, own }: Variables): Run {
  const { environment, command } = hasSpecial({ ...common, ...secrets, ...own })
    ? // Every user of the machine can see the arguments of a program.
      { environment: { ...common, ...own }, command: withExports(job.command, folder, secrets) }
    : { environment: { ...common, ...secrets, ...own }, command: job.command };
  const pairs = pairsOf(environment);
  return { pairs, how: howToRun(command, environment, pairs, folder) };
}

/** Returns undefined if the job runs without a container. The runtime's program never has a variable of the job. */
function inContainer(
  containers: Containers,
  { id, job, workspaceFolder, secrets }: JobRequest,
  folder: string,
  { common, secrets: secretValues, own, ticket }: Variables,
): Run | undefined {
  const command = containers.command({
    id,
    job,
    ticket,
    environment: { ...common, ...secretValues, ...own },
    workspaceFolder,
    attemptFolder: folder,
    scratchFolder: scratchFolder(folder),
    hasSecretFiles: secrets !== undefined && secrets.files.size > 0,
    writeScript: (script) => (isLongScript(script) ? writeCommand(folder, script) : undefined),
  });
  if (!command) return undefined;
  const { environment, environmentFile, lines, argv, notice } = command;
  return {
    pairs: pairsOf(environment),
    how: ["as_contained", environmentFile, lines],
    program: argv,
    notice,
  };
}

/** Returns undefined if the wall lets the job run without it. */
function behindWall(
  wall: Wall,
  request: JobRequest,
  folder: string,
  variables: Variables,
  isTimeCounted: boolean,
): Run | undefined {
  const { id, job, workspaceFolder } = request;
  const isInside = (name: string) => !isInherited(name);
  const { common, own } = variables;
  const inherited = only({ ...common, ...variables.secrets, ...own }, isInherited);
  const inside = only({ ...common, ...own }, isInside);
  const command = withExports(job.command, folder, only(variables.secrets, isInside));
  const isLong = "script" in command && isLongScript(command.script);
  const walled = wall.around({
    id,
    job,
    command,
    ...(isLong && { scriptFile: writeCommand(folder, command.script) }),
    inherited,
    inside,
    workspaceFolder,
    attemptFolder: folder,
    scratchFolder: scratchFolder(folder),
    isTimeCounted,
    // Secrets that are variables alone leave nothing on the disk.
    ...(existsSync(secretsFolder(folder)) && { secretsFolder: secretsFolder(folder) }),
  });
  if (!walled) return undefined;
  if (walled.temporaryFolder !== undefined) makeFolder(walled.temporaryFolder);
  const shown = walled.shownParts ?? [];
  const how = [
    ...(shown.length === 0 ? [] : ["with_checked", String(shown.length), ...shown]),
    ...(walled.filterFile === undefined ? [] : ["with_filter", walled.filterFile]),
    "as_walled",
  ];
  const supervision = [...(isTimeCounted ? ["counted"] : []), ...gateWords(workspaceFolder, shown)];
  const { argv: program, opensFiles = false, notice } = walled;
  return { pairs: pairsOf(inherited), how, program, supervision, opensFiles, notice };
}

function gateWords(workspaceFolder: string, parts: readonly string[]): readonly string[] {
  if (parts.length === 0) return [];
  const { rootDevice, sources } = bindSources(workspaceFolder, parts);
  return ["gated", rootDevice, String(sources.length), ...sources];
}

function only(values: Values, isWanted: (name: string) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
}

function pairsOf(values: Values): string[] {
  return Object.entries(values).map(([name, value]) => `${name}=${value}`);
}

/** Returns the words that precede an attempt which does not simply start in the workspace and print into its log. */
function placement(
  { workingFolder, stdin, stdout, stderr }: Job,
  { opensFiles = false }: Run,
  notices: readonly (string | undefined)[],
): readonly string[] {
  const files = opensFiles ? [undefined, undefined, undefined] : [stdin, stdout, stderr];
  const words = [workingFolder, ...files, notices.join("")].map((word) => word ?? "");
  return words.every((word) => word === "") ? [] : ["placed", ...words];
}

/** The unit in which Linux reports when a process started. */
const MS_PER_TICK = 10;

/** Starts a program where the job's own PATH may lead to no shell. */
const SHELL = "/bin/sh";

/** Longer ones do not fit into one argument (128 KiB on Linux). */
const ARGUMENT_BYTES_MAX = 100_000;

/** Writes the secrets and returns their variables. A variable in the job's own specification wins. */
function secretsOf({ secrets }: JobRequest, folder: string, own: Values): Values {
  if (!secrets) return {};
  writeSecretFiles(folder, secrets);
  const given = Object.entries(secretEnvironment(folder, secrets));
  return Object.fromEntries(given.filter(([name]) => !Object.hasOwn(own, name)));
}

/** Returns a command that reads the secrets from a file. A program is then started by a small shell that does that. */
function withExports(command: Command, folder: string, secrets: Values): Command {
  if (Object.keys(secrets).length === 0) return command;
  const file = writeSecretExports(folder, secrets);
  if ("argv" in command) return { argv: [SHELL, "-c", '. "$0"; exec "$@"', file, ...command.argv] };
  return { script: `. ${shellQuote(file)}\n${command.script}` };
}

function hasSpecial(environment: Values): boolean {
  return Object.keys(environment).some(isSpecial);
}

/** Returns a function of start-command.sh and its arguments. */
function howToRun(
  command: Command,
  environment: Values,
  pairs: readonly string[],
  folder: string,
): readonly string[] {
  return "argv" in command
    ? howToExecute(command.argv, environment, pairs)
    : howToRunScript(command.script, environment, pairs, folder);
}

function howToExecute(
  argv: readonly [string, ...string[]],
  environment: Values,
  pairs: readonly string[],
): readonly string[] {
  const [program] = argv;
  const searchPath = environment["PATH"] ?? HOST_ENVIRONMENT.PATH;
  if (!hasSpecial(environment)) return ["as_argv", searchPath, ...argv];
  // `env` would take such a program for a variable.
  const started = program.includes("=") ? [SHELL, "-c", 'exec "$0" "$@"', ...argv] : argv;
  return ["as_argv_with_env", searchPath, program, ...DEFAULTS, ...pairs, ...started];
}

function howToRunScript(
  script: string,
  environment: Values,
  pairs: readonly string[],
  folder: string,
): readonly string[] {
  const file = isLongScript(script) ? writeCommand(folder, script) : undefined;
  if (hasSpecial(environment))
    return ["with_env", ...DEFAULTS, ...pairs, "bash", ...(file === undefined ? ["-c", script] : [file])];
  if (file !== undefined) return ["in_bash_from_file", file];
  const words = environment["PATH"] === undefined ? plainWords(script) : undefined;
  if (words?.length === 1 && /^(true|false)$/.test(words[0]!)) return ["as_builtin", words[0]!];
  return words ? ["as_program", script, ...words] : ["in_bash", script];
}

function isLongScript(script: string): boolean {
  return Buffer.byteLength(script) > ARGUMENT_BYTES_MAX;
}

/** Returns the file that it writes. */
function writeCommand(folder: string, script: string): string {
  const file = maybeOpenAttemptFile(folder, "command.sh", "replace");
  if (!file) throw new DamagedAttempt("folder", "gone");
  try {
    writeFileSync(file.fd, script);
  } finally {
    closeSync(file.fd);
  }
  return path.join(folder, "command.sh");
}

/** The part of the host's environment that jobs get. */
export const HOST_ENVIRONMENT = {
  PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
  LANG: "C.UTF-8",
};
const DEFAULTS = Object.entries(HOST_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);

function quoted(words: readonly string[]): string {
  return words.map(shellQuote).join(" ");
}
