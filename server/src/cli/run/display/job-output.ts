import { stripVTControlCharacters } from "node:util";
import type { JobView, RunService } from "#cli/run/service/run-service";
import { printable } from "#plumbing/text/printable";

/** Receives printable lines of one job. */
export type PrintedLines = (job: JobView, lines: readonly string[]) => void;

const LINE_LENGTH = 2000;

export interface JobOutput {
  /** Reads the job's output since the last call. If the job has ended, reads to the end. */
  read(job: JobView): Promise<void>;
}

export function jobOutput(
  service: Pick<RunService, "printed">,
  runId: string,
  print: PrintedLines,
): JobOutput {
  const readers = new Map<string, Reader>();
  return {
    async read(job) {
      const reader = readers.get(job.id) ?? newReader();
      readers.set(job.id, reader);
      for await (const chunk of service.printed(runId, job.id, reader.at())) {
        const lines = reader.take(chunk);
        if (lines.length > 0) print(job, lines);
      }
      if (job.status === "running") return;
      const rest = reader.rest();
      if (rest.length > 0) print(job, rest);
      readers.delete(job.id);
    },
  };
}

interface Reader {
  at(): number;
  take(chunk: Uint8Array): string[];
  /** Returns the last line, if it has no newline. */
  rest(): string[];
}

function newReader(): Reader {
  const decoder = new TextDecoder();
  let at = 0;
  let begun = "";
  return {
    at: () => at,
    take(chunk) {
      at += chunk.length;
      const lines = (begun + decoder.decode(chunk, { stream: true })).split("\n");
      begun = lines.pop()!;
      return lines.map(shownLine);
    },
    rest() {
      const last = begun + decoder.decode();
      begun = "";
      return last === "" ? [] : [shownLine(last)];
    },
  };
}

/**
 * Makes a line safe for a terminal, because jobs can print control codes. A line redrawn with `\r` keeps its last
 * state.
 */
export function shownLine(line: string): string {
  const last = line.replace(/\r+$/, "").split("\r").at(-1)!;
  return printable(stripVTControlCharacters(last).replaceAll("\t", "    "), LINE_LENGTH);
}
