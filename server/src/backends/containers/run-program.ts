import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { signal } from "#backends/process/table/process-table";
import { runtimeEnvironment } from "#backends/containers/runtime-environment";
import { messageOf } from "#plumbing/errors";
import { startProcess } from "#plumbing/start-process";
import { printable } from "#plumbing/text/printable";

export interface ProgramResult {
  /** Null if a signal ended the program, or if it could not be started. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Null: no limit, because a person waits and can end the program by Ctrl-C. */
  readonly timeoutMs: number | null;
  /** Ends the program with its children. */
  readonly stop?: AbortSignal;
  /** The environment of the program. Default: the one for programs of a runtime. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The text that the program reads. Default: nothing. */
  readonly input?: string;
  /** Limit on the output. A program that prints more counts as failed. Default: only the first MiB is kept. */
  readonly outputMaxCharacters?: number;
  /** Ends the program at `stop` in a gentler way. Returns false if a signal is needed. */
  readonly endGently?: (pid: number) => boolean;
}

/** Default limit on the kept output. */
const KEPT_MAX_CHARACTERS = 2 ** 20;
/** The time in which a stopped program may tidy up. */
const STOP_MAX_MS = 5000;

type Running = ChildProcessByStdio<Writable | null, Readable, Readable>;

/**
 * Runs a program of a runtime or of a cluster and returns the output. Ends the program with its children after the time
 * limit. Never throws.
 */
export async function runProgram(
  [program, ...words]: readonly [string, ...string[]],
  options: RunOptions,
): Promise<ProgramResult> {
  const starting = startProcess(() =>
    spawn(program, words, {
      stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      cwd: "/",
      env: options.environment ?? runtimeEnvironment(),
      // A separate process group, out of reach of Ctrl-C. A leftover child would hold the pipes open for
      // ever.
      detached: options.timeoutMs !== null,
    }),
  );
  const child = (await starting.catch(messageOf)) as Running | string;
  return typeof child === "string" ? { code: null, stdout: "", stderr: child } : resultOf(child, options);
}

function resultOf(child: Running, options: RunOptions): Promise<ProgramResult> {
  const { timeoutMs, stop, endGently, outputMaxCharacters, input } = options;
  // The program may end before it has read the text.
  child.stdin?.on("error", () => undefined).end(input);
  const end = (name: "SIGINT" | "SIGKILL") => {
    if (child.pid !== undefined) signal(timeoutMs === null ? child.pid : -child.pid, name);
  };
  const printed = { stdout: "", stderr: "" };
  let problem = "";
  const endFor = (why: string) => {
    problem = `\n${why}`;
    end("SIGKILL");
  };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      if (printed[name].length < (outputMaxCharacters ?? KEPT_MAX_CHARACTERS)) printed[name] += text;
      else if (outputMaxCharacters !== undefined)
        endFor(`it printed more than ${outputMaxCharacters} characters`);
    });
  }
  const onLate = () => endFor(`it did not answer within ${timeoutMs! / 1000} s`);
  let limit = timeoutMs === null ? undefined : setTimeout(onLate, timeoutMs);
  const onStop = () => {
    // After SIGTERM, `podman build` would leave the running command behind.
    if (child.pid === undefined || endGently?.(child.pid) !== true) end("SIGINT");
    clearTimeout(limit);
    limit = setTimeout(() => end("SIGKILL"), STOP_MAX_MS);
  };
  if (stop?.aborted) onStop();
  stop?.addEventListener("abort", onStop);
  return new Promise((resolve) => {
    child.once("close", (code) => {
      clearTimeout(limit);
      stop?.removeEventListener("abort", onStop);
      resolve({ ...printed, code: problem === "" ? code : null, stderr: printed.stderr + problem });
    });
  });
}

const SENTENCE_MAX_CHARACTERS = 600;

/** Returns the last message of a failed program, without its log's decoration. */
export function failureOf({ stderr, code }: Pick<ProgramResult, "stderr" | "code">): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  const said = lines.findLast((line) => line !== "" && !/^time=.* level=(info|debug|warning)/.test(line));
  if (said === undefined) return `it ended with exit code ${code ?? "none"} and said nothing.`;
  const plain = said.replace(/^time=\S+ level=\w+ msg=/, "").replace(/^Error: /, "");
  return printable(plain, SENTENCE_MAX_CHARACTERS).replace(/[^.!?…]$/, "$&.");
}
