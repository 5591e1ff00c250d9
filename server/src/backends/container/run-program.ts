import { spawn } from "node:child_process";
import { signal } from "#backends/local/processes/process-table";
import { runtimeEnvironment } from "#backends/container/runtime-environment";

export interface ProgramResult {
  /** Null if a signal ended it, or if it could not be started. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly timeoutMs: number;
}

/** The most of its output that is kept. */
const OUTPUT_MAX_CHARACTERS = 2 ** 20;

/** Runs a program of a runtime and returns what it printed. Ends it with its children if it takes too long. Never throws. */
export function runProgram(
  [program, ...words]: readonly [string, ...string[]],
  { timeoutMs }: RunOptions,
): Promise<ProgramResult> {
  const child = spawn(program, words, {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: "/",
    env: runtimeEnvironment(),
    // A process group of its own. A child that is left would hold the pipes open for ever.
    detached: true,
  });
  const printed = { stdout: "", stderr: "" };
  let isLate = false;
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk: Buffer) => {
      if (printed[name].length < OUTPUT_MAX_CHARACTERS) printed[name] += String(chunk);
    });
  }
  const limit = setTimeout(() => {
    isLate = true;
    if (child.pid !== undefined) signal(-child.pid, "SIGKILL");
  }, timeoutMs);
  return new Promise((resolve) => {
    const end = (result: ProgramResult) => {
      clearTimeout(limit);
      resolve(result);
    };
    child.once("error", (error) => end({ code: null, stdout: "", stderr: error.message }));
    child.once("close", (code) => {
      const late = `\nit did not answer within ${timeoutMs / 1000} s`;
      end({ ...printed, code, stderr: isLate ? `${printed.stderr}${late}` : printed.stderr });
    });
  });
}

const SENTENCE_MAX_CHARACTERS = 600;

/** Returns the last thing that a failed program said, without its log's decoration. */
export function failureOf({ stderr, code }: Pick<ProgramResult, "stderr" | "code">): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  const said = lines.findLast((line) => line !== "" && !/^time=.* level=(info|debug|warning)/.test(line));
  if (said === undefined) return `it ended with exit code ${code ?? "none"} and said nothing.`;
  const plain = said.replace(/^time=\S+ level=\w+ msg=/, "").replace(/^Error: /, "");
  return plain.slice(0, SENTENCE_MAX_CHARACTERS).replace(/[^.!?]$/, "$&.");
}
