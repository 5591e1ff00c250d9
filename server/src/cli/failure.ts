import type { CliContext, SettingOptions } from "#cli/context";
import { codeOf, messageOf } from "#plumbing/errors";
import { ParameterProblem } from "#workflow/run/given-parameters";

export const EXIT_FAILURE = 1;
export const EXIT_USAGE = 2;
const EXIT_STILL_RUNNING = 3;

/** An error with a sentence for the person who typed the command. */
export class CommandError extends Error {}

/** The command gave up waiting for a run that may still be running: exit code 3. */
export class StillRunning extends CommandError {}

/** The command was typed wrongly: exit code 2. */
export class UsageError extends Error {}

/** Prints one sentence, with a stack only under `--log-level debug`. Returns the exit code. */
export function reportFailure(
  cli: CliContext,
  error: unknown,
  options: SettingOptions,
  asJson: boolean,
): number {
  const sentence = sentenceOf(error);
  cli.printError(asJson ? JSON.stringify({ message: sentence }) : sentence);
  if (cli.wantsStacks(options) && error instanceof Error && error.stack) cli.printError(error.stack);
  if (error instanceof StillRunning) return EXIT_STILL_RUNNING;
  return error instanceof UsageError || error instanceof ParameterProblem ? EXIT_USAGE : EXIT_FAILURE;
}

/** Rewords the system's errors about listening and name resolution. Other errors keep their own sentence. */
function sentenceOf(error: unknown): string {
  const { address, port } = error as { address?: string; port?: number };
  const where = `port ${port ?? "?"} of ${address ?? "that address"}`;
  switch (codeOf(error)) {
    case "EADDRINUSE":
      return `Another program listens on ${where} already. Choose another port with --port, or stop that program.`;
    case "EACCES":
      if (port === undefined) return messageOf(error);
      return `This user may not listen on ${where}. Choose a port from 1024 on with --port.`;
    case "EADDRNOTAVAIL":
      return `This machine has no address ${address ?? ""} to listen on. Choose another with --host.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${messageOf(error)}: no address is known by that name. Choose another with --host.`;
    case "DATABASE_AWAY":
    case "DATABASE_LOST":
      return `${messageOf(error)} Check that PostgreSQL is running, and that REPRISE_DATABASE points to it.`;
    default:
      return error instanceof Error && error.name === "NoAnswerError" ? noAnswer(error) : messageOf(error);
  }
}

const UNKNOWN_ISSUERS = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];

function noAnswer(error: Error): string {
  if (!UNKNOWN_ISSUERS.some((code) => code === codeOfCause(error))) {
    return `${error.message}. Is the server running there? Name another one with --server or REPRISE_SERVER.`;
  }
  const url = /^\S+/.exec(error.message)?.[0] ?? "The server";
  return (
    `${url} shows a certificate whose issuer this machine does not know. If it is your own, name the file with its CA: ` +
    "export NODE_EXTRA_CA_CERTS=/path/to/ca.pem"
  );
}

/** Returns the code of the innermost cause: Node's `fetch` wraps the error, and the SDK wraps it again. */
function codeOfCause(error: unknown): string | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const code = codeOf(inner);
    if (code !== undefined) return code;
  }
  return undefined;
}
