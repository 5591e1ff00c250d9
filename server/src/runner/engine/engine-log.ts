import type { Instruction } from "#engines/engine";

/** A log line of an engine or of a start. */
export interface LogEntry extends Pick<Extract<Instruction, { do: "log" }>, "logger" | "line"> {
  readonly level: "INFO" | "WARNING" | "ERROR";
}

/** Formats a line as REANA's engines log it: `2026-11-21 10:57:41,123 | root | MainThread | INFO | …`. */
export function logLine({ logger, level, line }: LogEntry, atMs: number): string {
  const time = new Date(atMs).toISOString().slice(0, 23).replace("T", " ").replace(".", ",");
  return `${time} | ${logger} | MainThread | ${level} | ${line}\n`;
}
