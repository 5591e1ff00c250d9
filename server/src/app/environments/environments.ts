import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isProgram } from "#plumbing/files/find-program";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import type { EnvironmentName, EnvironmentReport } from "#workflow/reports";

/**
 * Private Python environments of a data folder, for programs that few machines have, made by `reprise setup`.
 */

export interface Environment {
  readonly name: EnvironmentName;
  /** The program for jobs to run. */
  readonly program: string;
  readonly title: string;
  readonly version: string;
  /** The requested packages. */
  readonly packages: readonly string[];
  /**
   * A file with the version of each required package, as `pip freeze` prints them after an installation on
   * the oldest Python: versions chosen on a newer Python may not exist for the oldest.
   */
  readonly constraints: string;
  /** The oldest Python version that the environments support. */
  readonly python: readonly [number, number];
}

export const ENVIRONMENTS: readonly Environment[] = [
  {
    name: "snakemake",
    program: "snakemake",
    title: "Snakemake, for workflows in its language",
    version: "9.27.1",
    // Pygments is needed for reports only.
    packages: ["snakemake==9.27.1", "pygments"],
    constraints: fileURLToPath(new URL("snakemake.txt", import.meta.url)),
    python: [3, 11],
  },
  {
    name: "jupyter",
    program: "jupyter-lab",
    title: "JupyterLab, for notebooks beside runs",
    version: "4.6.6",
    packages: ["jupyterlab==4.6.6"],
    constraints: fileURLToPath(new URL("jupyter.txt", import.meta.url)),
    python: [3, 10],
  },
];

/**
 * Returns the folder of an environment. Each version has its own folder, so an upgrade does not disturb
 * running jobs.
 */
export function folderOf({ name, version }: Environment, dataFolder: string): string {
  return path.join(dataFolderPaths(dataFolder).environments, `${name}-${version}`);
}

/** Returns the file that is written last: without this file, the environment is incomplete. */
export function stampOf(environment: Environment, dataFolder: string): string {
  return path.join(folderOf(environment, dataFolder), "is-complete");
}

/** Returns the path of a program in an environment of the data folder. Undefined if that is not set up. */
export function maybeOwnProgram(program: string, dataFolder: string): string | undefined {
  const environment = ENVIRONMENTS.find((one) => one.program === program);
  if (!environment || !existsSync(stampOf(environment, dataFolder))) return undefined;
  const file = path.join(folderOf(environment, dataFolder), "bin", program);
  return isProgram(file) ? file : undefined;
}

/** Lists the environments that `reprise setup` can make, and whether each exists. */
export function reportEnvironments(dataFolder: string): readonly EnvironmentReport[] {
  return ENVIRONMENTS.map((one) => {
    const program = maybeOwnProgram(one.program, dataFolder);
    const { name, title, version } = one;
    return { name, title, version, ...(program !== undefined && { program }) };
  });
}
