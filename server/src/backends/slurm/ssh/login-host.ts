import { existsSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { type ProgramResult, runProgram } from "#backends/containers/run-program";
import { COMMAND_LIMITS, commandEnvironment, type RunCommand } from "#backends/record/cluster-commands";
import { remoteResult, remoteScript } from "#backends/slurm/ssh/remote-script";
import { sshProblem } from "#backends/slurm/ssh/ssh-problem";
import { Turns } from "#backends/slurm/ssh/turns";
import type { Clock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";

export interface LoginHostOptions {
  /** The host as ssh takes it: a name of its configuration, `user@host` or `ssh://user@host:port`. */
  readonly host: string;
  /** The configuration of ssh. Default: the one of the server's user. */
  readonly configFile?: string | undefined;
  readonly clock: Pick<Clock, "elapsedMs">;
}

/** A host where Slurm's commands run, over one held connection of the system's ssh. */
export interface LoginHost {
  readonly run: RunCommand;
  /** Ends the connection once its commands have ended. */
  close(): Promise<void>;
}

/** Seconds without a command after which the connection ends, also if the server was killed. */
const HELD_S = 60;
/** Limit on the commands in one connection at a time. sshd allows ten unless its administrator says otherwise. */
const COMMANDS_MAX = 8;
/** Delays between attempts to connect. Each attempt may count as an attack on the login host. */
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 60_000;

/** The options of each call. Nobody is there to type a password or to confirm a host key. */
const FIXED = [
  "BatchMode=yes",
  "ConnectTimeout=10",
  "ServerAliveInterval=5",
  "ServerAliveCountMax=3",
  "LogLevel=ERROR",
  "RequestTTY=no",
  "RemoteCommand=none",
  "ClearAllForwardings=yes",
  "ForwardAgent=no",
  "ForwardX11=no",
  "PermitLocalCommand=no",
].flatMap((option) => ["-o", option]);

/** Opens a login host. The first command connects. */
export function openLoginHost(options: LoginHostOptions): LoginHost {
  const connection = new HeldConnection(options);
  return { run: (...command) => connection.run(...command), close: () => connection.close() };
}

class HeldConnection {
  readonly #options: LoginHostOptions;
  readonly #turns = new Turns(COMMANDS_MAX);
  readonly #socket: string;
  #opening: Promise<string | undefined> | undefined;
  /** The newest failed attempt to connect, and the time of the next one. */
  #failure: { readonly problem: string; readonly untilMs: number; readonly delayMs: number } | undefined;

  constructor(options: LoginHostOptions) {
    this.#options = options;
    this.#socket = path.join(socketFolder(), systemRandom.uuid().slice(0, 8));
  }

  async run(program: string, words: readonly string[]): Promise<ProgramResult> {
    const problem = await this.#connect();
    if (problem !== undefined) return failed(problem);
    return this.#turns.take(() => this.#call(program, words));
  }

  async close(): Promise<void> {
    if (existsSync(this.#socket)) await this.#ssh(["-O", "stop"]);
  }

  async #call(program: string, words: readonly string[]): Promise<ProgramResult> {
    const { host } = this.#options;
    const mark = `reprise-${systemRandom.uuid()}`;
    const result = await this.#ssh(["-T"], ["/bin/sh"], remoteScript({ program, words, mark }));
    const found = remoteResult(result, mark);
    if (found === "absent")
      return failed(`the login host ${host} has no ${program} in the PATH of its login shell`);
    if (found !== undefined) return found;
    await this.#forgetDead();
    return failed(sshProblem(host, result.stderr));
  }

  /** Returns the problem if there is no connection. All callers share one attempt. */
  async #connect(): Promise<string | undefined> {
    if (existsSync(this.#socket)) return undefined;
    const { clock } = this.#options;
    if (this.#failure && clock.elapsedMs() < this.#failure.untilMs) return this.#failure.problem;
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #open(): Promise<string | undefined> {
    const { clock, host } = this.#options;
    const problem = this.#folderProblem() ?? (await this.#openProblem(host));
    const delayMs = Math.min(2 * (this.#failure?.delayMs ?? FIRST_DELAY_MS / 2), LONGEST_DELAY_MS);
    this.#failure =
      problem === undefined ? undefined : { problem, delayMs, untilMs: clock.elapsedMs() + delayMs };
    return problem;
  }

  async #openProblem(host: string): Promise<string | undefined> {
    const held = ["ControlMaster=yes", `ControlPersist=${HELD_S}`].flatMap((option) => ["-o", option]);
    const result = await this.#ssh([...held, "-N", "-f"]);
    return result.code === 0 ? undefined : sshProblem(host, result.stderr);
  }

  /** Other users of this machine must not reach the connection. */
  #folderProblem(): string | undefined {
    const folder = path.dirname(this.#socket);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    if (uid === process.getuid?.() && (mode & 0o077) === 0) return undefined;
    return `other users can write in ${folder}, where the connection to the login host would be. Remove it`;
  }

  /** A killed ssh leaves its socket. */
  async #forgetDead(): Promise<void> {
    const { code } = await this.#ssh(["-O", "check"]);
    if (code !== 0) rmSync(this.#socket, { force: true });
  }

  #ssh(words: readonly string[], command: readonly string[] = [], input?: string): Promise<ProgramResult> {
    const { host, configFile } = this.#options;
    const file = configFile === undefined ? [] : ["-F", configFile];
    return runProgram(["ssh", ...file, ...FIXED, "-S", this.#socket, ...words, "--", host, ...command], {
      ...COMMAND_LIMITS,
      environment: commandEnvironment(["SSH_AUTH_SOCK", "KRB5CCNAME"]),
      ...(input !== undefined && { input }),
    });
  }
}

/** The folder of the sockets. The path of a socket has 104 bytes at most, so the folder of temporary files does not count. */
function socketFolder(): string {
  return `/tmp/reprise-ssh-${process.getuid?.() ?? 0}`;
}

function failed(problem: string): ProgramResult {
  return { code: null, stdout: "", stderr: `${problem}.` };
}
