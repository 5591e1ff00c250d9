import type { Instruction } from "#engines/engine";

/** `2026-11-21 10:57:41,123 | root | MainThread | INFO | …`: the form in which REANA's engines log. */
export function logLine(instruction: Extract<Instruction, { do: "log" }>, atMs: number): string {
  const time = new Date(atMs).toISOString().slice(0, 23).replace("T", " ").replace(".", ",");
  return `${time} | ${instruction.logger} | MainThread | ${instruction.level} | ${instruction.line}\n`;
}
