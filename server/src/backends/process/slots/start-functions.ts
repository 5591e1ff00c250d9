import { readFileSync } from "node:fs";

let text: string | undefined;

/**
 * Returns the functions of bash that open the files of a job and start its command, for an order that runs where this
 * program is not installed.
 */
export function startFunctions(): string {
  return (text ??= FILES.map((file) => readFileSync(file, "utf8")).join("\n"));
}

const FILES = [new URL("./open-files.sh", import.meta.url), new URL("./start-command.sh", import.meta.url)];
