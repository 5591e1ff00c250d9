import process from "node:process";
import { BackendAwayError } from "#backends/backend";
import { type ProgramResult, runProgram } from "#backends/containers/run-program";
import { createCommandShells } from "#backends/record/command-shells";
import { HOST_ENVIRONMENT } from "#backends/process/slots/host-environment";
import { printable } from "#plumbing/text/printable";

interface ClusterOptions {
  /** The name of the software, in sentences: `Slurm`. */
  readonly name: string;
  /** The variables of the server that the commands get, apart from the ones that all programs get. */
  readonly variables: readonly string[];
  /** Matches what a command prints about the cluster itself, and not about a job: the cluster is away. */
  readonly away: RegExp;
  /** Returns the part of the errors of a command that says what went wrong. Default: their last line. */
  readonly said?: (stderr: string) => string;
  /** Runs a command elsewhere. Default: on this machine. */
  readonly runElsewhere?: RunCommand | undefined;
}

/** Runs a command, and returns its result. Never throws. */
export type RunCommand = (program: string, words: readonly string[]) => Promise<ProgramResult>;

/** The commands of a cluster on this machine. */
export interface ClusterCommands {
  readonly run: RunCommand;
  /** Runs a command that comes once for each job, with a short output. */
  readonly submit: RunCommand;
  /** Runs a query of the cluster and returns its output. Throws after any failure, because the state is then unknown. */
  output(program: string, words: readonly string[]): Promise<string>;
  /** True if the failure of a command says that the cluster does not answer. */
  isAway(result: ProgramResult): boolean;
  /** Returns the error for a command that failed: a `BackendAwayError` if the cluster does not answer. */
  failure(program: string, result: ProgramResult): Error;
}

/**
 * Limits of a command. A busy scheduler answers late. A listing has a few hundred bytes for each job.
 */
export const COMMAND_LIMITS = { timeoutMs: 30_000, outputMaxCharacters: 256 * 2 ** 20 } as const;

export function clusterCommands(options: ClusterOptions): ClusterCommands {
  const { name, variables, away, said, runElsewhere } = options;
  const runHere: RunCommand = (program, words) =>
    runProgram([program, ...words], { ...COMMAND_LIMITS, environment: commandEnvironment(variables) });
  const inShell = createCommandShells({
    environment: commandEnvironment([]),
    timeoutMs: COMMAND_LIMITS.timeoutMs,
  });
  const submitHere: RunCommand = (program, words) => inShell([program, ...words], variablesOf(variables));
  const run = runElsewhere ?? runHere;
  const sentenceOf = (program: string, { stderr, code }: ProgramResult) =>
    sentence(`${name}: ${program} failed`, lastLine(said?.(stderr) ?? stderr), code);
  const isAway = ({ code, stderr }: ProgramResult) => code === null || away.test(stderr);
  return {
    run,
    submit: runElsewhere ?? submitHere,
    isAway,
    output: async (program, words) => {
      const result = await run(program, words);
      if (result.code !== 0) throw new BackendAwayError(sentenceOf(program, result));
      return result.stdout;
    },
    failure: (program, result) => {
      const message = sentenceOf(program, result);
      return isAway(result) ? new BackendAwayError(message) : new Error(message);
    },
  };
}

/** Some clusters hand the environment of their commands to the job, so it is kept small. */
export function commandEnvironment(variables: readonly string[]): Record<string, string> {
  return { ...HOST_ENVIRONMENT, HOME: process.env["HOME"] ?? "/", ...variablesOf(variables) };
}

function variablesOf(variables: readonly string[]): Record<string, string> {
  const given = variables.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

function sentence(failure: string, said: string, code: number | null): string {
  const plain = said.replace(/^(?:\w+: )?(?:error: )?/i, "").replace(/\.$/, "");
  const why = plain === "" ? `it ended with exit code ${code ?? "none"} and said nothing` : plain;
  return `${failure}: ${why}.`;
}

/** Returns the last line of an output, for a sentence. */
export function lastLine(text: string): string {
  return printable(text.trim().split("\n").at(-1) ?? "", 300);
}
