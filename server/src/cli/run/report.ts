import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { CliHost } from "#cli/host";
import type { Brought, BroughtFile } from "#cli/run/bring-outputs";
import type { Outcome } from "#cli/run/carry-out";
import { duration } from "#cli/run/duration";
import type { RunFailure } from "#cli/run/run-service";
import { humanSize } from "#plumbing/human-size";
import { printable } from "#plumbing/printable";

export interface Report {
  readonly outcome: Outcome;
  readonly failure: RunFailure | undefined;
  /** Absent when nothing was to be brought. */
  readonly brought: Brought | undefined;
}

const LINE_LENGTH = 2000;

/** What came of it goes to the standard error, the files that came back to the standard output, a line each. */
export function reportInWords(
  host: Pick<CliHost, "print" | "complain">,
  { outcome, failure, brought }: Report,
): void {
  const { run, status, tookMs } = outcome;
  for (const sentence of sentencesOf(failure)) host.complain(sentence);
  host.complain(`${run.name} ${ended(status)} after ${duration(tookMs)}.`);
  if (status === "stopped") host.complain(howToGoOn(run.name));
  for (const file of brought?.files ?? []) {
    if (file.isBeside) host.complain(besideSentence(file));
    host.print(`${shortest(file.file)}  ${humanSize(file.bytes)}`);
  }
  if (status === "failed") return madeByThen(run.name, brought).forEach((line) => host.complain(line));
  for (const name of brought?.absent ?? []) {
    host.complain(`The run made no ${printable(name, 200)}, which the specification declares as an output.`);
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

/** A restart goes on in the same workspace, and needs a server. */
function howToGoOn(name: string): string {
  return `Its files are kept. To go on: \`reprise serve\` and \`reprise restart ${name}\`. To begin anew: the same command again.`;
}

/** Of a run that failed: where what it had made is to be found, if it had made anything. */
export function madeByThen(runName: string, brought: Brought | undefined): string[] {
  if (brought === undefined || brought.files.length === 0) return [];
  const folder = shortest(brought.folder);
  return [
    `What ${runName} had made of its outputs by then was brought to ${folder}; nothing says which of it is whole.`,
  ];
}

function besideSentence({ name, file }: BroughtFile): string {
  return `${name} was changed here while the run went on, so it was left alone: the run's is ${path.basename(file)}.`;
}

/** Why a run failed, fit to be shown. */
export function sentencesOf(failure: RunFailure | undefined): string[] {
  if (failure === undefined) return [];
  const { sentence, lastLines } = failure;
  return [sentence, ...(lastLines.length > 0 ? ["The last lines that it printed:"] : []), ...lastLines].map(
    shown,
  );
}

/** What a job prints may hold anything; a terminal is not to obey it. */
function shown(line: string): string {
  return printable(stripVTControlCharacters(line).replaceAll("\t", "    "), LINE_LENGTH);
}

/** As one would type it here. */
function shortest(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith("..") ? file : relative;
}
