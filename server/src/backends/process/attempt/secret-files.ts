import { lstatSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { inInnerFolder, writeInnerFiles } from "#backends/process/attempt/attempt-file";
import type { RemoveTree } from "#backends/process/attempt/attempt-folder";
import { shellQuote } from "#plumbing/text/shell-quote";
import { type JobSecrets, SECRETS_FOLDER_VARIABLE } from "#workflow/people/secret";

/**
 * The folder of a job's secrets on disk. The folder exists only while the job runs, within the job's attempt,
 * and only the owner can read it. The slot removes the folder before it records the end. If the slot was
 * killed, the process that records the end removes the folder.
 */
export function secretsFolder(folder: string): string {
  return path.join(folder, SECRETS);
}

const SECRETS = "secrets";
/** The folder of the secret files. */
const FILES = "files";
const EXPORTS = "environment.sh";

/**
 * Creates the folder for the job's secrets, or a folder within, and returns its path. Only the server's user
 * may open the folder. Throws a DamagedAttempt if a job has replaced the folder.
 */
export function makeSecretsFolder(folder: string, ...inside: readonly string[]): string {
  inInnerFolder(folder, [SECRETS, ...inside], () => undefined);
  return path.join(secretsFolder(folder), ...inside);
}

/**
 * Writes a file into the folder for the job's secrets, or into a folder within, and returns the file's path.
 */
export function writeInSecrets(folder: string, file: string, content: string): string {
  const { dir, base } = path.parse(file);
  writeInnerFiles(folder, dir === "" ? [SECRETS] : [SECRETS, dir], [[base, content]]);
  return path.join(secretsFolder(folder), file);
}

/** Returns the variables for a job's secrets. */
export function secretEnvironment(
  folder: string,
  { environment, files }: JobSecrets,
): Readonly<Record<string, string>> {
  if (files.size === 0) return environment;
  return { [SECRETS_FOLDER_VARIABLE]: path.join(secretsFolder(folder), FILES), ...environment };
}

export function writeSecretFiles(folder: string, { files }: JobSecrets): void {
  if (files.size > 0) writeInnerFiles(folder, [SECRETS, FILES], files);
}

/**
 * Writes a file of shell code that exports the secrets, for a job whose variables would otherwise appear in a program's
 * arguments.
 */
export function writeSecretExports(folder: string, environment: Readonly<Record<string, string>>): string {
  const lines = Object.entries(environment).map(([name, value]) => `export ${name}=${shellQuote(value)}\n`);
  return writeInSecrets(folder, EXPORTS, lines.join(""));
}

/**
 * Removes files of an earlier order for secrets that the user has since removed. The remaining files stay:
 * the earlier order may be starting at this moment, and a job in a container also reads its variables from
 * this folder.
 */
export function removeOldSecrets(folder: string, secrets: JobSecrets | undefined): void {
  if (!lstatSync(secretsFolder(folder), { throwIfNoEntry: false })) return;
  inInnerFolder(folder, [SECRETS], (itself) => {
    const target = path.join(itself, FILES);
    const isFolder = lstatSync(target, { throwIfNoEntry: false })?.isDirectory() ?? false;
    const old = (isFolder ? readdirSync(target) : []).filter((name) => !secrets?.files.has(name));
    for (const name of old) rmSync(path.join(target, name), { recursive: true, force: true });
    const hasVariables = secrets !== undefined && Object.keys(secrets.environment).length > 0;
    if (!hasVariables) rmSync(path.join(itself, EXPORTS), { force: true });
  });
}

/**
 * Removes the secrets, if there are any. A job may have built a tree in the folder that only `removeTree` can delete.
 */
export async function removeSecretFiles(folder: string, removeTree: RemoveTree): Promise<void> {
  try {
    rmSync(secretsFolder(folder), { recursive: true, force: true });
  } catch {
    // A second failure throws an error that names the obstacle.
    await removeTree(secretsFolder(folder));
  }
}
