import { link, open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { crashPoint } from "#plumbing/crash-points";
import { codeOf } from "#plumbing/errors";
import { syncFolder } from "#plumbing/files/sync-folder";

/**
 * Writes a file atomically, readable by its owner alone. The content is synced to disk when the promise
 * resolves.
 */
export async function writeSecretFile(file: string, content: string): Promise<void> {
  const temporary = `${file}.new`;
  const handle = await open(temporary, "w", 0o600);
  try {
    await handle.chmod(0o600);
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  crashPoint("secret-written");
  await rename(temporary, file);
  crashPoint("secret-renamed");
  await syncFolder(path.dirname(file));
}

/** Writes only if the content differs: a server must also start on a full disk. */
export async function keepInFile(file: string, secret: string): Promise<void> {
  if ((await maybeReadFile(file)) !== `${secret}\n`) await writeSecretFile(file, `${secret}\n`);
}

export async function maybeReadFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Returns the secret in the file, creating it on first use. The caller holds the folder's lock, so no other
 * server creates it concurrently.
 */
export async function secretInFile(file: string, make: () => string): Promise<string> {
  const known = (await maybeReadFile(file))?.trim();
  if (known) return known;
  const secret = make();
  await writeSecretFile(file, `${secret}\n`);
  return secret;
}

/**
 * Returns the secret in a file that several servers share. If two servers create it concurrently, the first one
 * counts, because a hard link replaces nothing. `owner` names the server.
 */
export async function firstSecretInFile(file: string, make: () => string, owner: string): Promise<string> {
  const known = (await maybeReadFile(file))?.trim();
  if (known) return known;
  const own = `${file}.${owner}`;
  await writeSecretFile(own, `${make()}\n`);
  try {
    await link(own, file);
    await syncFolder(path.dirname(file));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    await rm(own, { force: true });
  }
  return (await readFile(file, "utf8")).trim();
}
