import { stripVTControlCharacters } from "node:util";
import type { JobLook, RunService } from "#cli/run/run-service";
import { printable } from "#plumbing/printable";

/** Lines of one job, fit to be shown. */
export type PrintedLines = (job: JobLook, lines: readonly string[]) => void;

const LINE_LENGTH = 2000;

export interface JobOutput {
  /** Reads what a job has printed since the last time; of one that has ended, all of it. */
  read(job: JobLook): Promise<void>;
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
  /** A last line that has no end. */
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

/** What a job prints may hold anything; a terminal is not to obey it. Of a line that was drawn again, the last state. */
export function shownLine(line: string): string {
  const last = line.replace(/\r+$/, "").split("\r").at(-1)!;
  return printable(stripVTControlCharacters(last).replaceAll("\t", "    "), LINE_LENGTH);
}
