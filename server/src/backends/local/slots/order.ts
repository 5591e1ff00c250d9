import { closeSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JobRequest } from "#backends/backend";
import { unenforcedNotice } from "#backends/unenforced";
import { LOCAL_CAPABILITIES } from "#backends/local/capabilities";
import { maybeOpenAttemptFile } from "#backends/local/attempt/attempt-file";
import { scratchFolder } from "#backends/local/attempt/attempt-folder";
import { DamagedAttempt } from "#backends/local/attempt/damaged-attempt";
import { MARK, markOfJob } from "#backends/local/processes/marked-processes";
import { plainWords } from "#backends/local/slots/plain-command";
import {
  secretEnvironment,
  writeSecretExports,
  writeSecretFiles,
} from "#backends/local/attempt/secret-files";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { Command, Job } from "#workflow/job";

export interface OrderOptions {
  readonly hostId: string;
  readonly maxOutputBytes: number;
  /** Variables that every job on this machine gets. A secret, or a job's own value, of the same name wins. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Returns the order that slot.sh carries out: shell code, preceded by its length. */
export function orderOf(
  request: JobRequest,
  folder: string,
  { hostId, maxOutputBytes, environment: common = {} }: OrderOptions,
): Buffer {
  const { id, job, workspaceFolder } = request;
  const marks = { REPRISE_JOB_ID: id, [MARK]: markOfJob(hostId, id) };
  const home = Object.hasOwn(common, "HOME") ? {} : { HOME: scratchFolder(folder) };
  const own = { ...home, ...job.environment, ...marks };
  const secrets = secretsOf(request, folder, own);
  const { environment, command } = isSpecial({ ...common, ...secrets, ...own })
    ? // Every user of the machine can see the arguments of a program.
      { environment: { ...common, ...own }, command: withExports(job.command, folder, secrets) }
    : { environment: { ...common, ...secrets, ...own }, command: job.command };
  const pairs = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const how = howToRun(command, environment, pairs, folder);
  const timeLimit = Math.ceil((job.limits?.timeMs ?? 0) / MS_PER_TICK);
  const attempt = [id, folder, workspaceFolder, String(timeLimit), String(maxOutputBytes), ...how];
  const code = `given() { export ${quoted(pairs)}; }; ${placement(job)}attempt ${quoted(attempt)}\n`;
  const bytes = Buffer.from(code);
  return Buffer.concat([Buffer.from(String(bytes.length).padStart(8, "0")), bytes]);
}

/** Returns the words that precede an attempt which does not simply start in the workspace and print into its log. */
function placement(job: Job): string {
  const { workingFolder, stdin, stdout, stderr } = job;
  const words = [
    workingFolder,
    stdin,
    stdout,
    stderr,
    unenforcedNotice(job, LOCAL_CAPABILITIES.provides),
  ].map((word) => word ?? "");
  return words.every((word) => word === "") ? "" : `placed ${quoted(words)} `;
}

/** The unit in which Linux reports when a process started. */
const MS_PER_TICK = 10;

/** Starts a program where the job's own PATH may lead to no shell. */
const SHELL = "/bin/sh";

/** Longer ones do not fit into one argument (128 KiB on Linux). */
const ARGUMENT_BYTES_MAX = 100_000;

/** bash gives these variables a meaning of their own, or forbids setting them, so it cannot just export them. */
const SPECIAL =
  /^(BASH|COMP_|EPOCH|HIST|LC_|OPT|(COPROC|DIRSTACK|ENV|EUID|EXECIGNORE|FIGNORE|FUNCNAME|FUNCNEST|GLOBIGNORE|GLOBSORT|GROUPS|IFS|IGNOREEOF|LANG|LINENO|MAPFILE|OLDPWD|PIPESTATUS|POSIXLY_CORRECT|PPID|PS4|PWD|RANDOM|REPLY|SECONDS|SHELLOPTS|SHLVL|SRANDOM|TEXTDOMAIN|TEXTDOMAINDIR|TMOUT|UID|_)$)/;

/** Writes the secrets and returns their variables. A variable in the job's own specification wins. */
function secretsOf(
  { secrets }: JobRequest,
  folder: string,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (!secrets) return {};
  writeSecretFiles(folder, secrets);
  const given = Object.entries(secretEnvironment(folder, secrets));
  return Object.fromEntries(given.filter(([name]) => !Object.hasOwn(own, name)));
}

/** Returns a command that reads the secrets from a file. A program is then started by a small shell that does that. */
function withExports(command: Command, folder: string, secrets: Readonly<Record<string, string>>): Command {
  if (Object.keys(secrets).length === 0) return command;
  const file = writeSecretExports(folder, secrets);
  if ("argv" in command) return { argv: [SHELL, "-c", '. "$0"; exec "$@"', file, ...command.argv] };
  return { script: `. ${shellQuote(file)}\n${command.script}` };
}

function isSpecial(environment: Readonly<Record<string, string>>): boolean {
  return Object.keys(environment).some((name) => SPECIAL.test(name));
}

/** Returns a function of slot.sh and its arguments. */
function howToRun(
  command: Command,
  environment: Readonly<Record<string, string>>,
  pairs: readonly string[],
  folder: string,
): readonly string[] {
  return "argv" in command
    ? howToExecute(command.argv, environment, pairs)
    : howToRunScript(command.script, environment, pairs, folder);
}

function howToExecute(
  argv: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
  pairs: readonly string[],
): readonly string[] {
  const [program] = argv;
  const searchPath = environment["PATH"] ?? HOST_ENVIRONMENT.PATH;
  if (!isSpecial(environment)) return ["as_argv", searchPath, ...argv];
  // `env` would take such a program for a variable.
  const started = program.includes("=") ? [SHELL, "-c", 'exec "$0" "$@"', ...argv] : argv;
  return ["as_argv_with_env", searchPath, program, ...DEFAULTS, ...pairs, ...started];
}

function howToRunScript(
  script: string,
  environment: Readonly<Record<string, string>>,
  pairs: readonly string[],
  folder: string,
): readonly string[] {
  const isLong = Buffer.byteLength(script) > ARGUMENT_BYTES_MAX;
  const file = path.join(folder, "command.sh");
  if (isLong) writeCommand(folder, script);
  if (isSpecial(environment))
    return ["with_env", ...DEFAULTS, ...pairs, "bash", ...(isLong ? [file] : ["-c", script])];
  if (isLong) return ["in_bash_from_file", file];
  const words = environment["PATH"] === undefined ? plainWords(script) : undefined;
  if (words?.length === 1 && /^(true|false)$/.test(words[0]!)) return ["as_builtin", words[0]!];
  return words ? ["as_program", script, ...words] : ["in_bash", script];
}

function writeCommand(folder: string, script: string): void {
  const file = maybeOpenAttemptFile(folder, "command.sh", "replace");
  if (!file) throw new DamagedAttempt("folder", "gone");
  try {
    writeFileSync(file.fd, script);
  } finally {
    closeSync(file.fd);
  }
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
