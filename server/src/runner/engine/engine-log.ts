import type { LogLine } from "#engines/log-line";

/** A log line of an engine or of a start. */
export interface LogEntry extends Pick<LogLine, "logger" | "thread" | "line"> {
  readonly level: "INFO" | "WARNING" | "ERROR";
}

/** Formats a line like REANA's engines: `2026-11-21 10:57:41,123 | root | MainThread | INFO | …`. */
export function logLine({ logger, thread = "MainThread", level, line }: LogEntry, atMs: number): string {
  const time = new Date(atMs).toISOString().slice(0, 23).replace("T", " ").replace(".", ",");
  return `${time} | ${logger} | ${thread} | ${level} | ${line}\n`;
}
