import path from "node:path";
import { writeAttemptFile } from "#backends/process/attempt/attempt-file";
import { HOST_ENVIRONMENT, SHELL } from "#backends/process/slots/host-environment";
import type { Values } from "#backends/local/orders/job-variables";
import { plainWords, TRUE_OR_FALSE } from "#backends/process/slots/plain-command";
import { isSpecial } from "#backends/walls/inside-variables";
import type { Command } from "#workflow/job/job";

/** Returns a function of start-command.sh and its arguments. */
export function howToRun(
  command: Command,
  environment: Values,
  pairs: readonly string[],
  folder: string,
  host: Values = HOST_ENVIRONMENT,
): readonly string[] {
  const defaults = Object.entries(host).map(([name, value]) => `${name}=${value}`);
  return "argv" in command
    ? howToExecute(command.argv, environment, [...defaults, ...pairs], host)
    : howToRunScript(command.script, environment, [...defaults, ...pairs], folder);
}

function howToExecute(
  argv: readonly [string, ...string[]],
  environment: Values,
  pairs: readonly string[],
  host: Values,
): readonly string[] {
  const [program] = argv;
  const searchPath = environment["PATH"] ?? host["PATH"]!;
  if (!hasSpecial(environment)) return ["as_argv", searchPath, ...argv];
  // `env` would take such a program for a variable.
  const started = program.includes("=") ? [SHELL, "-c", 'exec "$0" "$@"', ...argv] : argv;
  return ["as_argv_with_env", searchPath, program, ...pairs, ...started];
}

function howToRunScript(
  script: string,
  environment: Values,
  pairs: readonly string[],
  folder: string,
): readonly string[] {
  const file = isLongScript(script) ? writeCommand(folder, script) : undefined;
  if (hasSpecial(environment))
    return ["with_env", ...pairs, "bash", ...(file === undefined ? ["-c", script] : [file])];
  if (file !== undefined) return ["in_bash_from_file", file];
  const words = environment["PATH"] === undefined ? plainWords(script) : undefined;
  if (words && TRUE_OR_FALSE.has(words[0]!)) return ["as_builtin", words[0]!];
  return words ? ["as_program", script, ...words] : ["in_bash", script];
}

export function isLongScript(script: string): boolean {
  return Buffer.byteLength(script) > ARGUMENT_BYTES_MAX;
}

/** Returns the written file. */
export function writeCommand(folder: string, script: string): string {
  writeAttemptFile(folder, "command.sh", script);
  return path.join(folder, "command.sh");
}

export function hasSpecial(environment: Values): boolean {
  return Object.keys(environment).some(isSpecial);
}

/** Longer scripts do not fit into one argument (128 KiB on Linux). */
const ARGUMENT_BYTES_MAX = 100_000;
