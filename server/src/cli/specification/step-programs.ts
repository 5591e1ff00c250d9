import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import type { SpecifiedStep } from "#cli/specification/specification-report";

/** A program started by a command, and its availability on this machine. */
export interface StepProgram {
  readonly program: string;
  readonly availability: "found" | "not on PATH" | "in the workspace" | "not there";
}

/** Returns the programs that the commands of a step start, each once. */
export function programsOf({ commands }: SpecifiedStep, searchPath: string): StepProgram[] {
  const programs = new Set(commands.map(maybeProgram).filter((program) => program !== undefined));
  return [...programs].map((program) => ({ program, availability: availabilityOf(program, searchPath) }));
}

function availabilityOf(program: string, searchPath: string): StepProgram["availability"] {
  if (path.isAbsolute(program)) return isExecutable(program) ? "found" : "not there";
  if (program.includes("/")) return "in the workspace";
  const isOnPath = searchPath
    .split(":")
    .filter((folder) => path.isAbsolute(folder))
    .some((folder) => isExecutable(path.join(folder, program)));
  return isOnPath ? "found" : "not on PATH";
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // A file that cannot be examined cannot be executed by a job either.
    return false;
  }
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;
/** A program's name or path without any shell syntax. */
const PLAIN = /^[A-Za-z0-9_./][A-Za-z0-9_./+-]*$/;
/** Commands that bash runs itself: the program is sought in the next part of the command line. */
const BUILT_IN: ReadonlySet<string> = new Set(
  ". : alias cd echo eval exit export false printf pwd read set shift shopt source test true ulimit umask unset".split(
    " ",
  ),
);
const KEYWORDS: ReadonlySet<string> = new Set("if for while until case select function".split(" "));

/** Reads the command up to its first program. Returns undefined if only a shell could tell. */
function maybeProgram(command: string): string | undefined {
  for (const part of partsOf(command)) {
    const word = part.match(WORDS)?.find((text) => !ASSIGNMENT.test(text));
    if (word === undefined || BUILT_IN.has(word)) continue;
    return PLAIN.test(word) && !KEYWORDS.has(word) ? word : undefined;
  }
  return undefined;
}

/** A quoted text, an escaped character, or a separator between two commands. */
const PIECE = /'[^']*'|"(?:\\.|[^"\\])*"|\\[\s\S]|(&&|\|\||[;|\n])/g;

const WORDS = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g;

/** Splits a script into its simple commands. */
function partsOf(script: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const match of script.matchAll(PIECE)) {
    if (match[1] === undefined) continue;
    parts.push(script.slice(from, match.index));
    from = match.index + match[0].length;
  }
  return [...parts, script.slice(from)];
}
