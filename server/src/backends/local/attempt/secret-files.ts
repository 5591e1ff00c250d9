import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { RemoveTree } from "#backends/local/attempt/attempt-folder";
import { shellQuote } from "#plumbing/text/shell-quote";
import { type JobSecrets, SECRETS_FOLDER_VARIABLE } from "#workflow/people/secret";

/**
 * The folder of a job's secrets on disk. It exists only while the job runs, within its attempt, and only the owner can
 * read it. The slot removes it before it records the end; if the slot was killed, the process that records the end
 * does.
 */
export function secretsFolder(folder: string): string {
  return path.join(folder, "secrets");
}

/** Creates the folder for the job's secrets. Only the server's user may open it. */
export function makeSecretsFolder(folder: string): string {
  const secrets = secretsFolder(folder);
  mkdirSync(secrets, { recursive: true, mode: 0o700 });
  return secrets;
}

/** Returns the variables that a job is given for its secrets. */
export function secretEnvironment(
  folder: string,
  { environment, files }: JobSecrets,
): Readonly<Record<string, string>> {
  if (files.size === 0) return environment;
  return { [SECRETS_FOLDER_VARIABLE]: path.join(secretsFolder(folder), "files"), ...environment };
}

export function writeSecretFiles(folder: string, { files }: JobSecrets): void {
  if (files.size === 0) return;
  const target = path.join(secretsFolder(folder), "files");
  mkdirSync(target, { recursive: true, mode: 0o700 });
  for (const [name, value] of files) writeFileSync(path.join(target, name), value, { mode: 0o600 });
}

/**
 * Writes a file of shell code that exports the secrets, for a job whose variables would otherwise appear in a program's
 * arguments.
 */
export function writeSecretExports(folder: string, environment: Readonly<Record<string, string>>): string {
  const file = exportsFile(folder);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const lines = Object.entries(environment).map(([name, value]) => `export ${name}=${shellQuote(value)}\n`);
  writeFileSync(file, lines.join(""), { mode: 0o600 });
  return file;
}

/**
 * Removes what an earlier order of the job wrote for secrets that its user has removed since. The rest stays: that order
 * may be starting at this moment, and a job in a container also reads its variables from this folder.
 */
export function removeOldSecrets(folder: string, secrets: JobSecrets | undefined): void {
  const target = path.join(secretsFolder(folder), "files");
  const isFolder = lstatSync(target, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const old = (isFolder ? readdirSync(target) : []).filter((name) => !secrets?.files.has(name));
  for (const name of old) rmSync(path.join(target, name), { recursive: true, force: true });
  const hasVariables = secrets !== undefined && Object.keys(secrets.environment).length > 0;
  if (!hasVariables) rmSync(exportsFile(folder), { force: true });
}

function exportsFile(folder: string): string {
  return path.join(secretsFolder(folder), "environment.sh");
}

/**
 * Removes the secrets, if there are any. A job may have built a tree in the folder that only `removeTree` can delete.
 */
export async function removeSecretFiles(folder: string, removeTree: RemoveTree): Promise<void> {
  try {
    rmSync(secretsFolder(folder), { recursive: true, force: true });
  } catch {
    // If this fails too, its error names the obstacle.
    await removeTree(secretsFolder(folder));
  }
}
