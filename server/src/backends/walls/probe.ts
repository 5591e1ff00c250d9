import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { BehindWall, Wall } from "#backends/walls/wall";
import { startProcess } from "#plumbing/start-process";
import type { Job } from "#workflow/job/job";

/** A probe takes 20 ms, and many seconds on an overloaded machine, which is no reason to do without a sandbox. */
const PATIENCE_MS = 60_000;
/** The output of a probe that has run and has not read the canary. */
const CONFINED = "confined";
const ESCAPED = "escaped";
/**
 * bind-gate.sh waits until the root of the sandbox is in place. The script finds the root by bwrap's name for
 * it.
 */
const UNKNOWN_ROOT = "unknown root";
const SCRIPT = [
  `cat -- "$1" > read 2> /dev/null && echo ${ESCAPED} && exit`,
  `case "$(cat /proc/self/mountinfo)" in *" /newroot / "*) echo ${CONFINED} ;; *) echo ${UNKNOWN_ROOT} ;; esac`,
].join("\n");

const OTHER_ROOT =
  "bubblewrap ran, but this version does not name the root of its sandbox /newroot, which Reprise needs to check its mounts";

export interface FailedProbe {
  /** Why the wall does not hold, as a part of a sentence. */
  readonly problem: string;
  /** True unless the system forbids sandboxes. */
  readonly isBroken: boolean;
}

/**
 * Runs a job behind the wall that tries to read a file beside its own folder, the canary. Returns why the wall does not
 * hold, or undefined if it does. `folder` is a folder of the server's own.
 */
export async function probe(
  wall: Wall,
  folder: string,
  patienceMs = PATIENCE_MS,
): Promise<FailedProbe | undefined> {
  const attemptFolder = mkdtempSync(path.join(folder, "probe-"));
  try {
    const canary = path.join(attemptFolder, "canary");
    writeFileSync(canary, "The sandbox does not hold.\n", { mode: 0o600 });
    const behind = jobBehind(attemptFolder, ["sh", "-c", SCRIPT, "sh", canary]);
    const { argv, filterFile } = wall.around(behind);
    const { printed, said, isLate } = await run(argv, behind.workspaceFolder, filterFile!, patienceMs);
    if (isLate) return { problem: tooSlow(patienceMs), isBroken: true };
    if (printed === ESCAPED)
      return { problem: `bubblewrap ran, but its jobs can read ${folder}`, isBroken: true };
    if (printed === UNKNOWN_ROOT) return { problem: OTHER_ROOT, isBroken: true };
    const hasWritten = existsSync(path.join(behind.workspaceFolder, "read"));
    return printed === CONFINED && hasWritten ? undefined : failureOf(said);
  } finally {
    rmSync(attemptFolder, { recursive: true, force: true });
  }
}

function jobBehind(attemptFolder: string, argv: readonly [string, ...string[]]): BehindWall {
  const made = (name: string) => {
    mkdirSync(path.join(attemptFolder, name));
    return path.join(attemptFolder, name);
  };
  made("tmp");
  const job: Job = {
    key: "probe",
    name: "",
    node: "",
    command: { argv },
    displayCommand: "",
    image: null,
    environment: {},
    network: "none",
  };
  const [workspaceFolder, scratchFolder] = [made("workspace"), made("scratch")];
  return {
    id: "probe",
    job,
    command: job.command,
    inherited: {},
    inside: {},
    workspaceFolder,
    attemptFolder,
    scratchFolder,
    isTimeCounted: false,
  };
}

interface Outcome {
  readonly printed: string;
  /** The complaints of the wall's program. */
  readonly said: string;
  /** True if the program was ended because it ran too long. */
  readonly isLate: boolean;
}

function tooSlow(patienceMs: number): string {
  return (
    `bubblewrap was tried and had not ended after ${patienceMs / 1000} s: this machine is overloaded, or bubblewrap hangs. ` +
    "Try again when less is running"
  );
}

/** Descriptors 3 to 8 are closed, and 9 is the filter, as a slot has it. */
const CLOSED = Array.from({ length: 6 }, () => "ignore" as const);

async function run(
  argv: readonly [string, ...string[]],
  cwd: string,
  filterFile: string,
  patienceMs: number,
): Promise<Outcome> {
  const filter = openSync(filterFile, "r");
  const child = await start(argv, cwd, filter, patienceMs).finally(() => closeSync(filter));
  const [output, errors]: Buffer[][] = [[], []];
  child.stdout!.on("data", (bytes: Buffer) => output!.push(bytes));
  child.stderr!.on("data", (bytes: Buffer) => errors!.push(bytes));
  return new Promise((resolve) => {
    child.once("close", (code, signal) => {
      const said = String(Buffer.concat(errors!)).trim() || `it ended with ${signal ?? `exit code ${code}`}`;
      // Only the time limit kills the child from here.
      resolve({ printed: String(Buffer.concat(output!)).trim(), said, isLate: child.killed });
    });
  });
}

function start(
  [program, ...words]: readonly [string, ...string[]],
  cwd: string,
  filter: number,
  timeout: number,
) {
  return startProcess(() =>
    spawn(program, words, {
      cwd,
      env: { PATH: process.env["PATH"], LANG: "C.UTF-8" },
      stdio: ["ignore", "pipe", "pipe", ...CLOSED, filter],
      timeout,
      killSignal: "SIGKILL",
    }),
  );
}

/** Matches what bwrap says if the kernel, or the container around the server, gives it no right to make a sandbox. */
const FORBIDDEN = /not permitted|denied|no permissions|creating new namespace/i;

function failureOf(said: string): FailedProbe {
  const problem = `bubblewrap was tried and failed: ${said}${hintFor(said)}`;
  return { problem, isBroken: !FORBIDDEN.test(said) };
}

/**
 * Returns advice for what bwrap said. The kernel, or the container around the server, may forbid the parts of a
 * sandbox.
 */
function hintFor(said: string): string {
  if (/uid map|new namespace|user namespace/i.test(said))
    return (
      ". This system restricts user namespaces: allow them to bwrap (an AppArmor profile on Ubuntu), or set " +
      "kernel.apparmor_restrict_unprivileged_userns=0, kernel.unprivileged_userns_clone=1 or user.max_user_namespaces"
    );
  if (/proc|mount/i.test(said))
    return ". In a container, the server needs the right to mount, or --sandbox none";
  return "";
}
