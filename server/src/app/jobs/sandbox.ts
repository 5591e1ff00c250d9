import { realpathSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { ownProgramMounts } from "#app/jobs/host-programs";
import { environmentMounts } from "#app/jobs/images";
import { snakemakeMounts } from "#app/snakemake";
import { notebookMounts } from "#app/notebooks";
import type { HostMount } from "#backends/walls/bubblewrap";
import type { Wall } from "#backends/walls/wall";
import { type NoSandbox, openSandbox as openBubblewrap, type Sandbox } from "#backends/walls/sandbox";
import { SettingError } from "#config/read";
import type { Config } from "#config/settings";
import { isWithin } from "#plumbing/files/is-within";
import { isLoopback } from "#plumbing/loopback";
import type { SandboxReport } from "#workflow/reports";

interface SandboxLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/**
 * Tries the sandbox in the settings. Returns undefined if the settings disable the sandbox. Throws a
 * SettingError if the sandbox cannot work with these settings.
 */
export async function trySandbox(config: Config, jobsFolder: string): Promise<Sandbox | undefined> {
  if (config.sandbox === "none") return undefined;
  const problems = mountProblems(config);
  if (problems.length > 0) throw new SettingError(problems);
  return openBubblewrap(jobsFolder, settingsOf(config));
}

export interface OpenedWall {
  /** If absent, jobs run without a sandbox. */
  readonly wall?: Wall;
  /** A sentence for the terminal: the sandbox is slow, or missing without an explicit `--sandbox none`. */
  readonly warning?: string;
}

/**
 * Returns the wall of the sandbox, if the sandbox works. Throws a SettingError if it does not work and is required: by
 * `--sandbox bubblewrap`, because other machines can reach the server, or because bubblewrap is installed and fails for an
 * unknown reason.
 */
export async function openWall(
  config: Config,
  tried: ReturnType<typeof trySandbox>,
  log: SandboxLog,
  slowMs = SLOW_MS,
): Promise<OpenedWall> {
  const trial = { isSlow: false };
  const waiting = setTimeout(() => {
    trial.isSlow = true;
    log.warn({}, SLOW);
  }, slowMs);
  const sandbox = await tried.finally(() => clearTimeout(waiting));
  if (sandbox === undefined) {
    log.warn({}, `Jobs run without a sandbox, as --sandbox none says: ${RISK}`);
    return {};
  }
  if ("wall" in sandbox) {
    log.info({ sandbox: sandbox.wall.name }, "Jobs run in a sandbox.");
    return { wall: sandbox.wall, ...(trial.isSlow && { warning: `Warning: ${SLOW}` }) };
  }
  const problem = refusal(config, sandbox);
  if (problem !== undefined) throw new SettingError([problem]);
  log.warn({ reason: sandbox.problem }, `Jobs run without a sandbox: ${RISK}`);
  return { warning: `Warning: Jobs run without a sandbox: ${RISK} The reason: ${sandbox.problem}.` };
}

/** A trial takes 20 ms on a quiet machine. */
const SLOW_MS = 10_000;
const SLOW =
  "Trying the sandbox takes more than 10 s. This machine is overloaded: jobs may be slow to start.";

const RISK = "they can read and change everything that the user of this server can.";

function settingsOf(config: Config) {
  const mountsNow = () => ownProgramMounts(config.dataFolder);
  return { network: config.jobNetwork, mounts: allMounts(config), mountsNow, cvmfs: config.cvmfs };
}

/** The administrator's own mounts come last, and so take precedence. */
function allMounts(config: Config): readonly HostMount[] {
  return [
    ...environmentMounts(config),
    ...snakemakeMounts(config),
    ...notebookMounts(config),
    ...config.mounts,
  ];
}

function refusal({ sandbox, host }: Config, { problem, isBroken }: NoSandbox): string | undefined {
  if (sandbox === "bubblewrap") return `--sandbox bubblewrap cannot be used: ${problem}.`;
  if (isLoopback(host)) return isBroken ? `${problem}. ${ACCEPT}` : undefined;
  return (
    `Others can reach ${host}, and jobs would run without a sandbox: ${problem}. ` +
    "Install it, or give --sandbox none if all users may do what the user of this server may."
  );
}

const ACCEPT =
  "No job starts without the sandbox: mend it, or give --sandbox none to accept that jobs can read and change " +
  "everything that the user of this server can.";

/**
 * An impossible mount would make every job fail, and a mount of the data folder or the shared folder would show the
 * folder to jobs.
 */
function mountProblems(config: Config): string[] {
  return [...hiddenInterpreters(config), ...unusableMounts(config)];
}

/** An environment of `python -m venv` is useless without its linked Python. */
function hiddenInterpreters(config: Config): string[] {
  const shown = ["/usr", ...allMounts(config).map(({ path: from }) => maybeRealPath(from) ?? from)];
  return environmentMounts(config).flatMap(({ path: folder }) => {
    const python = maybeRealPath(path.join(folder, "bin", "python3"));
    if (python === undefined || shown.some((outer) => isWithin(python, outer))) return [];
    const needed = path.dirname(path.dirname(python));
    return [
      `--image-map ${folder}: its Python is ${python}, which jobs in the sandbox do not see. Add --mount ${needed}.`,
    ];
  });
}

function unusableMounts(config: Config): string[] {
  const { dataFolder, sharedFolder } = config;
  const hidden = [{ what: "data folder", folder: dataFolder }];
  if (sharedFolder !== undefined) hidden.push({ what: "shared folder", folder: sharedFolder });
  return allMounts(config).flatMap(({ path: from }) => {
    const real = maybeRealPath(from);
    if (real === undefined) return [`--mount ${from}: there is no such file or folder.${lineHint(from)}`];
    const seen = hidden.filter(({ folder }) => {
      const place = maybeRealPath(folder) ?? folder;
      return isWithin(place, real) || isWithin(real, place);
    });
    return seen.map(({ what, folder }) => `--mount ${from}: jobs would see the ${what} ${folder}.`);
  });
}

/** Returns a hint if several mounts may have been written as one. */
function lineHint(from: string): string {
  return from.includes(",") ? " Entries of REPRISE_MOUNTS are separated by line feeds, not by commas." : "";
}

function maybeRealPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined; // a file that is not there has no real path
  }
}

/** Describes the sandbox for `doctor`. Leaves nothing behind. */
export async function reportSandbox(config: Config): Promise<SandboxReport> {
  if (config.sandbox === "none") return { name: "none", reason: "--sandbox none" };
  const [problem] = mountProblems(config);
  if (problem !== undefined) return { name: "none", reason: problem.replace(/\.$/, ""), isRefused: true };
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-sandbox-"));
  try {
    const sandbox: Sandbox = await openBubblewrap(path.join(folder, "jobs"), settingsOf(config));
    if ("wall" in sandbox) return { name: sandbox.wall.name };
    const isRefused = refusal(config, sandbox) !== undefined;
    return { name: "none", reason: sandbox.problem, ...(isRefused && { isRefused }) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
