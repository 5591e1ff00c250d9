import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

export interface CommandLine {
  readonly pid: number;
  readonly words: readonly string[];
}

const LOOK_INTERVAL_MS = 20;

/** Waits for a process of this program with the argument `word`, and returns its command line. */
export async function commandLineWith(program: string, word: string): Promise<CommandLine> {
  for (;;) {
    const [line] = commandLinesWith(program, word);
    if (line) return line;
    await delay(LOOK_INTERVAL_MS);
  }
}

/** Returns the command lines of all processes of this program with the argument `word`. */
export function commandLinesWith(program: string, word: string): CommandLine[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const lines = pids.map((pid) => ({ pid: Number(pid), words: wordsOf(pid) }));
  return lines.filter(
    ({ words }) => words[0]?.split("/").at(-1) === program && words.join(" ").includes(word),
  );
}

function wordsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return []; // the process has ended
  }
}

/** Quotes words as a shell command. */
export function shellCommand(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}
