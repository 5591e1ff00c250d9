import path from "node:path";
import type { CliContext } from "#cli/context";
import { unfollowedSentence } from "#cli/files/leaving-links";
import type { CopiedOutputs, CopiedFile } from "#cli/run/copy-outputs";
import type { Outcome } from "#cli/run/execute-run";
import { duration } from "#plumbing/text/duration";
import { shownLine } from "#cli/run/display/job-output";
import type { FailureReport } from "#workflow/reports";
import { shortSize } from "#plumbing/text/human-size";
import { printable } from "#plumbing/text/printable";

export interface Report {
  readonly outcome: Outcome;
  readonly failure: FailureReport | undefined;
  /** Undefined if no outputs were to be copied back. */
  readonly copied: CopiedOutputs | undefined;
  /** The address of the server that carried out the run; undefined for a run in this process. */
  readonly server: string | undefined;
}

/** Prints the outcome to standard error, and the output files to standard output, one per line. */
export function reportInWords(
  cli: Pick<CliContext, "print" | "printError">,
  { outcome, failure, copied, server }: Report,
): void {
  const { run, status, tookMs } = outcome;
  for (const sentence of sentencesOf(failure, server)) cli.printError(sentence);
  cli.printError(`${run.name} ${ended(status)} after ${duration(tookMs)}.`);
  if (status === "stopped") cli.printError(resumeHint(run.name));
  for (const file of copied?.files ?? []) {
    if (file.isRenamed) cli.printError(renamedSentence(file));
    cli.print(`${shortest(file.file)}  ${shortSize(file.bytes)}`);
  }
  if (status === "failed") return partialOutputs(copied).forEach((line) => cli.printError(line));
  for (const name of copied?.absent ?? []) {
    const isLink = copied?.links.includes(name) === true;
    cli.printError(
      isLink ? unfollowedSentence(name) : `Declared output ${printable(name, 200)} was not produced.`,
    );
  }
}

export function reportInJson(cli: Pick<CliContext, "print">, { outcome, failure, copied }: Report): void {
  const { run, status, tookMs } = outcome;
  const files = copied?.files.map(({ name, bytes, file, isRenamed }) => ({
    name,
    bytes,
    file,
    beside: isRenamed,
  }));
  cli.print(
    JSON.stringify({
      run: run.name,
      id: run.id,
      event: "ended",
      status,
      duration_ms: Math.round(tookMs),
      ...(failure && { failure: { sentence: failure.sentence, last_lines: failure.lastLines } }),
      ...(files && { outputs: files, absent: copied?.absent }),
    }),
  );
}

function ended(status: string): string {
  return status === "stopped" || status === "deleted" ? `was ${status}` : status;
}

/** Explains how to resume: a restart continues in the same workspace. */
function resumeHint(name: string): string {
  return `Its files are kept. To resume: "reprise restart ${name}". To start over: run the same command again.`;
}

/** Says where the outputs of a failed run are, if there are any. */
export function partialOutputs(copied: CopiedOutputs | undefined): string[] {
  if (copied === undefined || copied.files.length === 0) return [];
  return [`Partial outputs are in ${shortest(copied.folder)}; they may be incomplete.`];
}

function renamedSentence({ name, file }: CopiedFile): string {
  return `${name} was changed here during the run and was left alone; the run's version is ${path.basename(file)}.`;
}

/** Returns the reason of a failure for display. It names the server, because the cause may be the server's PATH. */
export function sentencesOf(failure: FailureReport | undefined, server: string | undefined): string[] {
  if (failure === undefined) return [];
  const { sentence, lastLines } = failure;
  // A reason of several lines already includes the relevant output lines.
  const [first, ...telling] = sentence.split("\n");
  const printed = telling.length > 0 ? [] : lastLines;
  return [
    first!,
    ...telling,
    ...(printed.length > 0 ? ["The last lines that it printed:"] : []),
    ...printed,
    ...(server === undefined ? [] : [`It ran on the server at ${server}, with the PATH of that server.`]),
  ].map(shownLine);
}

/** Returns the shorter of the relative and the absolute path. */
function shortest(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith("..") ? file : relative;
}
