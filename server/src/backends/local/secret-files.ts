import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { RemoveTree } from "#backends/local/attempt-folder";
import { shellQuote } from "#plumbing/shell-quote";
import { type JobSecrets, SECRETS_FOLDER_VARIABLE } from "#workflow/secret";

/**
 * What lies on the disk of a job's secrets: only while it runs, in a folder of its attempt that is its owner's alone.
 * The slot removes it before it writes down the end; where the slot was killed, whoever writes down the end does.
 */
function secretsFolder(folder: string): string {
  return path.join(folder, "secrets");
}

/** The variables that a job is given for its secrets. */
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

/** A file of shell code that exports them: for a job whose variables are else named in the arguments of a program. */
export function writeSecretExports(folder: string, environment: Readonly<Record<string, string>>): string {
  const file = path.join(secretsFolder(folder), "environment.sh");
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const lines = Object.entries(environment).map(([name, value]) => `export ${name}=${shellQuote(value)}\n`);
  writeFileSync(file, lines.join(""), { mode: 0o600 });
  return file;
}

/** Safe twice, and where there was none. A job may have made a tree of the folder that only `removeTree` can delete. */
export async function removeSecretFiles(folder: string, removeTree: RemoveTree): Promise<void> {
  try {
    rmSync(secretsFolder(folder), { recursive: true, force: true });
  } catch {
    // It says what is in the way, if it cannot either.
    await removeTree(secretsFolder(folder));
  }
}
