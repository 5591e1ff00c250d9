import { existsSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import type { HostMount } from "#backends/walls/bubblewrap";
import { SettingError } from "#config/read";
import { ENVIRONMENTS, maybeOwnProgram } from "#app/environments/environments";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { isProgram, maybeProgram } from "#plumbing/files/find-program";
import { isWithin } from "#plumbing/files/is-within";

/** Programs of this machine for jobs: Snakemake, JupyterLab. */

/** A setting that disables a program. */
const NONE = "none";

/**
 * Returns the path of a program: the path in the option, or the program in an environment of the data folder,
 * or the first match in the PATH of this server. Throws a SettingError if the option names a program that
 * does not exist.
 */
export function maybeHostProgram(
  name: string,
  option: { readonly name: string; readonly value: string | undefined },
  dataFolder?: string,
): string | undefined {
  const { value: named } = option;
  if (named === NONE) return undefined;
  if (named === undefined) return (dataFolder && maybeOwnProgram(name, dataFolder)) || maybeProgram(name);
  if (isProgram(named)) return path.resolve(named);
  throw new SettingError([`${option.name} ${named}: there is no such program.`]);
}

/**
 * Returns the mounts that show jobs a program and its Python. Everything below /usr is visible anyway. If a
 * folder also holds the data folder, as `~/.local` does after `pip install --user`, the mounts show only the
 * necessary parts.
 */
export function programMounts(program: string | undefined, dataFolder: string): HostMount[] {
  const { environments } = dataFolderPaths(dataFolder);
  const isOwn = program !== undefined && isWithin(program, environments);
  // Programs in the data folder may change while a server runs: `ownProgramMounts`.
  return isOwn ? [] : mountsOf(program, dataFolder);
}

function mountsOf(program: string | undefined, dataFolder: string): HostMount[] {
  if (program === undefined) return [];
  const places = [program, ...interpretersOf(program)];
  const folders = places.map((place) => path.dirname(path.dirname(place)));
  return [...new Set(folders)]
    .filter((folder) => folder !== "/" && folder !== "/usr" && !folder.startsWith("/usr/"))
    .flatMap((folder) => (isWithin(path.resolve(dataFolder), folder) ? partsOf(folder) : [folder]))
    .map((folder) => ({ path: folder, at: folder, mode: "read" }));
}

/**
 * Returns the mounts that show jobs the environments of the data folder, including environments set up after
 * the start.
 */
export function ownProgramMounts(dataFolder: string): HostMount[] {
  return ENVIRONMENTS.flatMap(({ program }) => mountsOf(maybeOwnProgram(program, dataFolder), dataFolder));
}

function partsOf(folder: string): string[] {
  return ["bin", "lib", "share/jupyter"]
    .map((part) => path.join(folder, part))
    .filter((part) => existsSync(part));
}

/**
 * Returns the interpreter in the first line of a script, and the target of its link, as in a Python
 * environment.
 */
function interpretersOf(script: string): string[] {
  const start = readFileSync(script, "utf8").slice(0, 1000);
  // Pip writes the second form if the path is long or has a space.
  const [, interpreter] = /^#!\/bin\/sh\n'''exec' "([^"]+)"/.exec(start) ?? /^#!\s*(\/\S+)/.exec(start) ?? [];
  if (interpreter === undefined || !isProgram(interpreter)) return [];
  return [interpreter, realpathSync(interpreter)];
}
