import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import {
  type Environment,
  ENVIRONMENTS,
  folderOf,
  maybeOwnProgram,
  reportEnvironments,
  stampOf,
} from "#app/environments/environments";
import { DataFolderError, prepareDataFolder } from "#plumbing/files/data-folder";
import { maybeProgram } from "#plumbing/files/find-program";
import { startProcess } from "#plumbing/start-process";
import { FolderInUseError, type FolderLock, holdFolderLock } from "#store/dialects/folder-lock";
import type { EnvironmentName, EnvironmentReport } from "#workflow/reports";

type Tell = (line: string) => void;

/**
 * Makes an environment of the data folder, unless the environment exists. Throws with a sentence if this
 * machine cannot provide the environment.
 */
export async function setUp(
  dataFolder: string,
  name: EnvironmentName,
  tell: Tell,
): Promise<EnvironmentReport & { readonly isNew: boolean }> {
  const environment = ENVIRONMENTS.find((one) => one.name === name)!;
  const isThere = () => maybeOwnProgram(environment.program, dataFolder) !== undefined;
  const isNew = !isThere();
  if (isNew) {
    const python = await requirePython(environment);
    const { environments } = await prepareDataFolder(dataFolder);
    const lock = hold(path.join(environments, "lock.sqlite"));
    try {
      if (!isThere()) await make(environment, { dataFolder, python, tell });
    } finally {
      lock.release();
    }
  }
  return { ...reportEnvironments(dataFolder).find((one) => one.name === name)!, isNew };
}

/** Locks the folder: only one command at a time may fill the folder. */
function hold(file: string): FolderLock {
  try {
    return holdFolderLock(file);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new DataFolderError(
      "Another `reprise setup` is at work on this data folder. Wait until it has ended.",
      {
        cause: error,
      },
    );
  }
}

const TRIAL = "import sys; print('%d.%d' % sys.version_info[:2], flush=True); import venv, ensurepip";

/** Returns the path of a Python that can make environments and is new enough. */
async function requirePython({ name, python: [major, minor] }: Environment): Promise<string> {
  const python = maybeProgram("python3");
  const needed = `${name} needs Python ${major}.${minor} or newer`;
  if (python === undefined)
    throw new DataFolderError(
      `There is no python3 in the PATH, and ${needed}. Install it (on Debian: python3 and python3-venv).`,
    );
  const lines: string[] = [];
  const code = await run([python, "-c", TRIAL], (line) => void lines.push(line));
  const [theirMajor = 0, theirMinor = 0] = (lines[0] ?? "").split(".").map(Number);
  if (theirMajor < major || (theirMajor === major && theirMinor < minor))
    throw new DataFolderError(
      `${python} is Python ${lines[0]}, and ${needed}. Put a newer python3 into the PATH.`,
    );
  if (code !== 0)
    throw new DataFolderError(
      `${python} cannot make environments, because its module venv is not complete (${lines.at(-1)}). ` +
        "Install it: on Debian and Ubuntu, the package python3-venv.",
    );
  return python;
}

interface Making {
  readonly dataFolder: string;
  readonly python: string;
  readonly tell: Tell;
}

async function make(environment: Environment, { dataFolder, python, tell }: Making): Promise<void> {
  const folder = folderOf(environment, dataFolder);
  const { packages, constraints, program, version } = environment;
  tell(`Setting up ${environment.name} ${version} in ${folder} …`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  const inside = (name: string) => path.join(folder, "bin", name);
  await require([python, "-m", "venv", folder], tell);
  const pip = [inside("python"), "-m", "pip", "--disable-pip-version-check", "--no-input"] as const;
  await require([...pip, "install", "--progress-bar", "off", "--constraint", constraints, ...packages], tell);
  await require([inside(program), "--version"], () => undefined);
  await writeFile(stampOf(environment, dataFolder), "");
}

/** Runs a command and shows its output. Throws if the command fails. */
async function require(words: readonly [string, ...string[]], tell: Tell): Promise<void> {
  const lines: string[] = [];
  const code = await run(words, (line) => {
    lines.push(line);
    tell(line);
  });
  if (code === 0) return;
  const last = lines.findLast((line) => line.trim() !== "") ?? "it printed nothing";
  throw new DataFolderError(
    `The set-up did not succeed: "${words.join(" ")}" ended with exit code ${code}: ${last}\n` +
      "Packages come from the index that pip uses on this machine (`pip config list`). Try again when it can be reached.",
  );
}

/** Settings of a person's pip that would put packages elsewhere. */
const OWN_FOLDER_ONLY = { PIP_USER: "0", PIP_REQUIRE_VIRTUALENV: "0", PYTHONNOUSERSITE: "1" };

async function run([program, ...args]: readonly [string, ...string[]], tell: Tell): Promise<number> {
  const child = await startProcess(() =>
    spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...OWN_FOLDER_ONLY },
    }),
  );
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => tell(line));
  const [code] = (await once(child, "close")) as [number | null];
  return code ?? 1;
}
