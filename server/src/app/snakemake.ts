import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { RunnableEngine } from "#app/server-parts";
import type { HostMount } from "#backends/local/walls/bubblewrap";
import { SettingError } from "#config/read";
import type { Config } from "#config/settings";
import { createSnakemakeEngine } from "#engines/snakemake/snakemake-engine";
import { inProcessRuntime } from "#runner/engine/engine-runtime";

/** The setting that switches the language off, although there is a Snakemake. */
const NONE = "none";

type Settings = Pick<Config, "snakemake"> & Partial<Pick<Config, "cores">>;

/**
 * Returns the engine of Snakemake, if this machine has one. Nothing is started: its version is seen when it plans a run.
 * Throws a SettingError if `--snakemake` names a program that does not exist.
 */
export function maybeSnakemake(config: Settings): RunnableEngine | undefined {
  const program = maybeProgram(config);
  if (program === undefined) return undefined;
  const { cores = os.availableParallelism() } = config;
  const engine = createSnakemakeEngine({ program, plugin: readPlugin(), maxThreads: cores });
  return { language: "snakemake", readsDocuments: true, runtime: inProcessRuntime(engine) };
}

/** Returns the path of the program: the one that the settings name, or the first in the PATH of this server. */
function maybeProgram({ snakemake: named }: Settings): string | undefined {
  if (named === NONE) return undefined;
  if (named === undefined)
    return foldersOfPath()
      .map((folder) => path.join(folder, "snakemake"))
      .find(isProgram);
  if (isProgram(named)) return path.resolve(named);
  throw new SettingError([`--snakemake ${named}: there is no such program.`]);
}

function foldersOfPath(): string[] {
  return (process.env["PATH"] ?? "").split(":").filter((folder) => path.isAbsolute(folder));
}

function isProgram(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // EACCES: not for this user
  }
}

function readPlugin(): string {
  const place = "../engines/snakemake/plugin/snakemake_executor_plugin_reprise/__init__.py";
  return readFileSync(new URL(place, import.meta.url), "utf8");
}

/** Returns the mounts that show jobs the program and its Python. What lies below /usr is visible anyway. */
export function snakemakeMounts(config: Settings): HostMount[] {
  const program = maybeProgram(config);
  if (program === undefined) return [];
  const places = [program, ...interpretersOf(program)];
  const folders = places.map((place) => path.dirname(path.dirname(place)));
  return [...new Set(folders)]
    .filter((folder) => folder !== "/" && folder !== "/usr" && !folder.startsWith("/usr/"))
    .map((folder) => ({ path: folder, at: folder, mode: "read" }));
}

/** Returns the program that a script names in its first line, and the one that it links to, as in an environment of Python. */
function interpretersOf(script: string): string[] {
  const [, interpreter] = /^#!\s*(\/\S+)/.exec(readFileSync(script, "latin1").slice(0, 1000)) ?? [];
  if (interpreter === undefined || !isProgram(interpreter)) return [];
  return [interpreter, realpathSync(interpreter)];
}
