import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "#plumbing/errors";
import { ownEnvironment } from "../package/newcomer.ts";
import { shownOnScreen } from "./screen.ts";

/**
 * The next input expected by the shell: a command (with the exit code of the last command), or the rest of an
 * unfinished command.
 */
export type Prompt = { readonly exitCode: number } | "continue";

/** An interactive bash on a pseudo-terminal, as a person has it. */
export interface Terminal {
  /** Types a line. Returns when the shell asks for the next one, or when `until` says that enough was printed. */
  type(line: string, until?: (printed: string) => boolean): Promise<Prompt | "running">;
  /** The output since the last `takeOutput`. */
  shown(): string;
  takeOutput(): string;
  /** Waits for more output of the command that is running. */
  waitFor(until: (printed: string) => boolean): Promise<void>;
  pressCtrlC(): Promise<Prompt>;
  /** Waits until the command that is running has ended. */
  untilPrompt(): Promise<Prompt>;
  /** Ends all processes of the terminal. */
  close(): Promise<void>;
}

const LIMIT_MS = 150_000;
const PROMPT = /⟦(\d+|>)⟧/;
/** A mark in the environment of everything that is started in a terminal. */
const MARK = "GUIDE_TERMINAL";
let opened = 0;

export async function openTerminal(folder: string, environment: Record<string, string>): Promise<Terminal> {
  const mark = `${process.pid}-${opened++}`;
  const env = { ...ownEnvironment(), ...environment, [MARK]: mark, TERM: "xterm" };
  const bash = "exec bash --noprofile --norc --noediting -i";
  const child = spawn("script", ["-qfec", bash, "/dev/null"], { cwd: folder, env, stdio: "pipe" });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let bytes = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (bytes += chunk));
  const shown = () => shownOnScreen(bytes.replace(PROMPT, ""));
  const until = async (isEnough: () => boolean) => {
    for (const end = Date.now() + LIMIT_MS; !isEnough(); await delay(10)) {
      if (Date.now() > end) throw new Error(`Nothing more came of it:\n${shown()}`);
    }
  };
  /** Removes the prompt from the output: it is the shell's, not the command's. */
  const prompt = (): Prompt => {
    const asked = PROMPT.exec(bytes)![1]!;
    bytes = bytes.replace(PROMPT, "");
    return asked === ">" ? "continue" : { exitCode: Number(asked) };
  };
  const isAsking = () => PROMPT.test(bytes);
  const terminal: Terminal = {
    async type(line, isEnough) {
      child.stdin.write(`${line}\n`);
      await until(() => isAsking() || isEnough?.(shown()) === true);
      return isAsking() ? prompt() : "running";
    },
    shown,
    takeOutput() {
      const text = shown();
      bytes = "";
      return text;
    },
    waitFor: (isEnough) => until(() => isEnough(shown())),
    async pressCtrlC() {
      child.stdin.write("\u0003");
      return terminal.untilPrompt();
    },
    async untilPrompt() {
      await until(isAsking);
      return prompt();
    },
    async close() {
      killMarked(mark);
      child.kill("SIGKILL");
      await ended;
    },
  };
  child.stdin.write("stty -echo cols 200 rows 40; PS2=⟦'>'⟧ PS1='⟦$?⟧'\n");
  await until(isAsking);
  bytes = "";
  return terminal;
}

function killMarked(mark: string): void {
  const wanted = `${MARK}=${mark}`;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (environmentOf(pid).includes(wanted)) killIfThere(Number(pid));
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error;
  }
}

/** An ended process, or a process of another user, has no readable environment. */
function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}
