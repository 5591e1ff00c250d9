import path from "node:path";
import type { CliHost } from "#cli/host";
import type { Brought, BroughtFile } from "#cli/run/bring-outputs";
import type { Outcome } from "#cli/run/execute-run";
import { duration } from "#cli/terminal/duration";
import { shownLine } from "#cli/run/display/job-output";
import type { RunFailure } from "#cli/run/service/run-service";
import { shortSize } from "#plumbing/human-size";
import { printable } from "#plumbing/printable";

export interface Report {
  readonly outcome: Outcome;
  readonly failure: RunFailure | undefined;
  /** Undefined if no outputs were to be copied back. */
  readonly brought: Brought | undefined;
  /** The address of the server that carried out the run; undefined if this process did. */
  readonly server: string | undefined;
}

/** Prints the outcome to standard error, and the output files to standard output, one per line. */
export function reportInWords(
  host: Pick<CliHost, "print" | "complain">,
  { outcome, failure, brought, server }: Report,
): void {
  const { run, status, tookMs } = outcome;
  for (const sentence of sentencesOf(failure, server)) host.complain(sentence);
  host.complain(`${run.name} ${ended(status)} after ${duration(tookMs)}.`);
  if (status === "stopped") host.complain(howToGoOn(run.name));
  for (const file of brought?.files ?? []) {
    if (file.isBeside) host.complain(besideSentence(file));
    host.print(`${shortest(file.file)}  ${shortSize(file.bytes)}`);
  }
  if (status === "failed") return partialOutputs(brought).forEach((line) => host.complain(line));
  for (const name of brought?.absent ?? []) {
    host.complain(`Declared output ${printable(name, 200)} was not produced.`);
  }
}

export function reportInJson(host: Pick<CliHost, "print">, { outcome, failure, brought }: Report): void {
  const { run, status, tookMs } = outcome;
  const files = brought?.files.map(({ name, bytes, file, isBeside }) => ({
    name,
    bytes,
    file,
    beside: isBeside,
  }));
  host.print(
    JSON.stringify({
      run: run.name,
      id: run.id,
      event: "ended",
      status,
      duration_ms: Math.round(tookMs),
      ...(failure && { failure: { sentence: failure.sentence, last_lines: failure.lastLines } }),
      ...(files && { outputs: files, absent: brought?.absent }),
    }),
  );
}

function ended(status: string): string {
  return status === "stopped" || status === "deleted" ? `was ${status}` : status;
}

/** Explains how to resume: a restart continues in the same workspace, and needs a server. */
function howToGoOn(name: string): string {
  return (
    `Its files are kept. To resume: "reprise serve", then "reprise restart ${name}". ` +
    "To start over: run the same command again."
  );
}

/** Says where the outputs of a failed run are, if there are any. */
export function partialOutputs(brought: Brought | undefined): string[] {
  if (brought === undefined || brought.files.length === 0) return [];
  return [`Partial outputs are in ${shortest(brought.folder)}; they may be incomplete.`];
}

function besideSentence({ name, file }: BroughtFile): string {
  return `${name} was changed here during the run and was left alone; the run's version is ${path.basename(file)}.`;
}

/** Returns the reason of a failure for display. It names the server, because the cause may be the server's PATH. */
export function sentencesOf(failure: RunFailure | undefined, server: string | undefined): string[] {
  if (failure === undefined) return [];
  const { sentence, lastLines } = failure;
  return [
    sentence,
    ...(lastLines.length > 0 ? ["The last lines that it printed:"] : []),
    ...lastLines,
    ...(server === undefined ? [] : [`It ran on the server at ${server}, with the PATH of that server.`]),
  ].map(shownLine);
}

/** Returns the shorter of the relative and the absolute path. */
function shortest(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith("..") ? file : relative;
}
