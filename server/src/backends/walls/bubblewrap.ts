import { readFileSync } from "node:fs";
import path from "node:path";
import { type JobNetwork, networkOf } from "#backends/job-network";
import { plainWords } from "#backends/process/slots/plain-command";
import type { BehindWall, Wall } from "#backends/walls/wall";
import { CVMFS, maybeCvmfsFolder } from "#backends/walls/cvmfs";
import { printable } from "#plumbing/text/printable";
import type { Job } from "#workflow/job/job";

/** A folder or file of this machine that every job sees. */
export interface HostMount {
  readonly path: string;
  /** The mount point in jobs. */
  readonly at: string;
  readonly mode: "read" | "write";
}

export interface BubblewrapOptions {
  /** Absolute path of `bwrap`. */
  readonly program: string;
  /** Returns the options to show the system, read-only, to a job that starts now. */
  readonly system: () => readonly string[];
  readonly network: JobNetwork;
  readonly mounts: readonly HostMount[];
  /** Returns further mounts for a job that starts now. Optional. */
  readonly mountsNow?: () => readonly HostMount[];
  /** The folder of CVMFS on this machine. Default: `/cvmfs`. */
  readonly cvmfs?: string;
  /**
   * True if the server runs as root. Its jobs then see themselves as REANA's user, to keep `tar` from
   * restoring owners.
   */
  readonly isRoot: boolean;
  /** Returns whether the name is a binary program in the usual PATH of jobs. */
  readonly isProgram: (name: string) => boolean;
  /** File with the filter of system calls (call-filter.ts). */
  readonly filterFile: string;
}

/** Descriptor on which the slot opens the filter of system calls (start-command.sh). */
const FILTER_FD = "9";
/** Descriptors by which the slot checks the sandbox's mounts before the command starts (bind-gate.sh). */
const GATE = ["--info-fd", "21", "--block-fd", "22"];
/** REANA's user and group of a job. To the kernel it is still root without capabilities, which owns the settings in /proc. */
const AS_ROOT_SERVER = ["--uid", "1000", "--gid", "0"];

/**
 * `--die-with-parent` ends the whole job when its slot dies, and all its background processes when its
 * command ends. With `--new-session` the signal that asks a job to end reaches the command and not bwrap,
 * whose death would kill the job at once (ask-to-end.ts).
 */
const ISOLATION = [
  "--unshare-user",
  "--disable-userns",
  "--unshare-pid",
  "--unshare-ipc",
  "--new-session",
  "--die-with-parent",
  "--cap-drop",
  "ALL",
];

/**
 * The first process of the job's namespace, unless the kernel counts the job's processor time. The process
 * waits for the command, and therefore the slot sees the used time; bwrap does not wait for a first process
 * of its own. The process survives signals, and prints no messages about the command.
 */
const INIT = ["/bin/sh", "-c", 'trap : INT; exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); exit', "sh"];

/** Files outside the job's folders would be files in memory. A job has 1 GiB of these, where programs share memory. */
const SHARED_MEMORY = [
  "--size",
  String(2 ** 30),
  "--perms",
  "1777",
  "--tmpfs",
  "/dev/shm",
  "--remount-ro",
  "/dev",
];

/**
 * Runs each job in separate namespaces: the job sees only the system, read-only, its workspace and its
 * scratch folder.
 */
export function bubblewrapWall(options: BubblewrapOptions): Wall {
  const fixed = [options.program, ...ISOLATION, ...(options.isRoot ? AS_ROOT_SERVER : [])] as const;
  const mounts = options.mounts.flatMap(bindWords);
  return {
    name: "bubblewrap",
    provides: ["sandbox", "network", "writable-folders", "mounts"],
    around(behind) {
      const shownParts = partsOf(behind.job);
      const { hasNetwork, notice } = networkOf(behind.job, options.network);
      const argv = [
        ...fixed,
        ...options.system(),
        ...(behind.isTimeCounted ? [] : ["--as-pid-1"]),
        ...deviceWords(behind),
        ...SHARED_MEMORY,
        "--bind",
        temporaryFolder(behind),
        "/tmp",
        ...mounts,
        ...(options.mountsNow?.() ?? []).flatMap(bindWords),
        ...foldersOf(behind),
        ...mountWords(behind, options),
        "--remount-ro",
        "/",
        ...(options.isRoot ? ["--remount-ro", "/proc"] : []),
        ...(hasNetwork ? [] : ["--unshare-net"]),
        "--seccomp",
        FILTER_FD,
        ...(shownParts.length === 0 ? [] : GATE),
        ...commandWords(behind, options),
      ] as const;
      return {
        argv,
        filterFile: options.filterFile,
        temporaryFolder: temporaryFolder(behind),
        opensFiles: true,
        shownParts,
        ...(notice !== undefined && { notice }),
      };
    },
  };
}

/** A program finds the place of its device on the bus, and its memory, in /sys, which a container shows as well. */
function deviceWords({ nodes = [] }: BehindWall): readonly string[] {
  if (nodes.length === 0) return [];
  return [...nodes.flatMap(({ from, at }) => ["--dev-bind", from, at]), "--ro-bind", "/sys", "/sys"];
}

function bindWords({ path: from, at, mode }: HostMount): readonly string[] {
  return [mode === "read" ? "--ro-bind" : "--bind", from, at];
}

/** The job's /tmp. It is on the disk, because files in memory would count as memory of the machine. */
function temporaryFolder({ attemptFolder }: BehindWall): string {
  return path.join(attemptFolder, "tmp");
}

function foldersOf(behind: BehindWall): readonly string[] {
  const { job, workspaceFolder, scratchFolder, secretsFolder, scriptFile } = behind;
  const writable = job.writable?.map((folder) => path.join(workspaceFolder, folder)) ?? [workspaceFolder];
  return [
    ...(job.writable ? ["--ro-bind", workspaceFolder, workspaceFolder] : []),
    ...[...writable, scratchFolder].flatMap((folder) => ["--bind-try", folder, folder]),
    ...[secretsFolder, scriptFile].flatMap((file) => (file === undefined ? [] : ["--ro-bind", file, file])),
  ];
}

/** Mounts parts of the workspace, and CVMFS, as the job requests. */
function mountWords({ job, workspaceFolder }: BehindWall, options: BubblewrapOptions): string[] {
  const { cvmfs = CVMFS } = options;
  return (job.mounts ?? []).flatMap((mount) => {
    const { from, at, mode } = mount;
    if (from === at && isShown(from, options)) return [];
    const place = path.isAbsolute(from) ? maybeCvmfsFolder(mount, cvmfs) : path.join(workspaceFolder, from);
    if (place === undefined)
      throw new Error(`The job cannot see ${printable(from, 200)}: it leads out of the workspace.`);
    return [mode === "read" ? "--ro-bind" : "--bind", place, at];
  });
}

/** Returns whether the administrator's mounts already show the path to every job. */
function isShown(place: string, { mounts }: BubblewrapOptions): boolean {
  return mounts.some(({ path: from, at }) => from === at && (place === at || place.startsWith(`${at}/`)));
}

/** Returns the parts of the workspace that bwrap binds by their paths. */
function partsOf({ writable = [], mounts = [] }: Job): string[] {
  return [...writable, ...mounts.map(({ from }) => from).filter((from) => !path.isAbsolute(from))];
}

/**
 * Returns the command, and the options that set its variables. bwrap executes a program that is certain to
 * exist. `env` finds any other program through the job's own PATH, and reports a missing program as a shell
 * does, but takes 0.5 ms.
 */
function commandWords(behind: BehindWall, { isProgram }: BubblewrapOptions): readonly string[] {
  const { inherited, inside, isTimeCounted } = behind;
  const opener = openerWords(behind);
  const first = [...(isTimeCounted ? [] : INIT), ...opener];
  const isCertain = (name: string) => inherited["PATH"] === undefined && isProgram(name);
  const command = commandOf(behind, isCertain);
  const variables = Object.entries(inside);
  // bwrap itself sets PWD. Variables with a meaning for bash must not reach the shell that opens files.
  const isReady = !Object.hasOwn(inside, "PWD") && (opener.length === 0 || variables.length === 0);
  if (isCertain(command[0]!) && isReady)
    return [...variables.flatMap(([name, value]) => ["--setenv", name, value]), "--", ...first, ...command];
  const pairs = variables.map(([name, value]) => `${name}=${value}`);
  return ["--", ...first, "/usr/bin/env", "--", ...pairs, ...command];
}

const OPEN_INSIDE = [
  new URL("../process/slots/open-files.sh", import.meta.url),
  new URL("./open-inside.sh", import.meta.url),
]
  .map((file) => readFileSync(file, "utf8"))
  .join("");

/** Opens the files of a job inside the sandbox, where a link leads to nothing that the job may not see. */
function openerWords({ job, workspaceFolder }: BehindWall): readonly string[] {
  const files = [job.stdin, job.stdout, job.stderr];
  if (files.every((file) => file === undefined)) return [];
  const words = files.map((file) => file ?? "");
  return ["/bin/bash", "-p", "-c", OPEN_INSIDE, "bash", workspaceFolder, ...words];
}

function commandOf(
  { command, scriptFile }: BehindWall,
  isCertain: (name: string) => boolean,
): readonly string[] {
  if ("script" in command) {
    const words = plainWords(command.script);
    // bash would take longer to start than most of the sandbox.
    if (words && isCertain(words[0]!)) return words;
    return ["bash", ...(scriptFile === undefined ? ["-c", command.script] : [scriptFile])];
  }
  // `env` would take such a program for a variable.
  return command.argv[0].includes("=") ? ["/bin/sh", "-c", 'exec "$0" "$@"', ...command.argv] : command.argv;
}
