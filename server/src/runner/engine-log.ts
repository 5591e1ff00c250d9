import type { Instruction } from "#engines/engine";

/** What an engine logs, or a start. */
export interface LogEntry extends Pick<Extract<Instruction, { do: "log" }>, "logger" | "line"> {
  readonly level: "INFO" | "WARNING" | "ERROR";
}

/** `2026-11-21 10:57:41,123 | root | MainThread | INFO | …`: the form in which REANA's engines log. */
export function logLine({ logger, level, line }: LogEntry, atMs: number): string {
  const time = new Date(atMs).toISOString().slice(0, 23).replace("T", " ").replace(".", ",");
  return `${time} | ${logger} | MainThread | ${level} | ${line}\n`;
}
