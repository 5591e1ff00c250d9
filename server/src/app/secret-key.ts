import { hkdfSync } from "node:crypto";
import { readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Config } from "#config/settings";
import type { TokenSeal } from "#operations/context";
import { crashPoint } from "#plumbing/crash-points";
import {
  type DataFolder,
  DataFolderError,
  dataFolderPaths,
  refuseHalfRestored,
} from "#plumbing/files/data-folder";
import { codeOf } from "#plumbing/errors";
import { syncFolder } from "#plumbing/files/sync-folder";
import { systemRandom } from "#plumbing/ids";
import { createSeal, type Seal, SEAL_KEY_BYTES } from "#plumbing/secrets/seal";
import {
  firstSecretInFile,
  maybeReadFile,
  secretInFile,
  writeSecretFile,
} from "#plumbing/secrets/secret-file";
import { byMachineUser, openAudit } from "#app/audit";
import { type DatabaseHooks, openDatabase } from "#app/database";
import { refuseOtherHolder } from "#app/database-holder";
import { sharedIdOf } from "#app/shared-folder";
import { type Connection, transaction } from "#store/database/database";
import { presentOthers } from "#store/hosts/hosts";
import { replaceSealedValues, sealedValues } from "#store/database/sealed-values";
import { holdFolderLock } from "#store/dialects/folder-lock";

/**
 * The key in the data folder that seals tokens, secrets and results of requests in the database, and its change
 * (docs/decisions/20261127-changing-the-secret-key.md). While the file `secret.key.next` exists, a value may be sealed
 * with either key. The next process that holds the folder seals all values with the next key and gives it its name.
 */

/** Returns the seal of a data folder held by this process. Makes the key on first use. */
export async function openSeal(data: DataFolder, hostId: string): Promise<TokenSeal> {
  await refuseDuringChange(data);
  const { secretKey, isShared } = data;
  const key = isShared
    ? await firstSecretInFile(secretKey, makeKey, hostId)
    : await secretInFile(secretKey, makeKey);
  return createSeal(bytesOf(key), systemRandom);
}

/** Returns the seal of messages between the servers of a shared folder. Its key opens no value of the database. */
export async function openPeerSeal({ secretKey }: DataFolder): Promise<Seal> {
  const key = bytesOf((await maybeReadFile(secretKey))!);
  const derived = hkdfSync("sha256", key, "", "messages between servers", SEAL_KEY_BYTES);
  return createSeal(Buffer.from(derived), systemRandom);
}

/**
 * Refuses a start while another process changes the key of a shared folder. The folder is listed, because a shared disk
 * may remember for a minute that a file was absent.
 */
async function refuseDuringChange({ isShared, shared, nextSecretKey }: DataFolder): Promise<void> {
  if (!isShared || !(await readdir(shared)).includes(path.basename(nextSecretKey))) return;
  throw new DataFolderError(
    `The key of the shared folder ${shared} is being changed, because ${nextSecretKey} exists. Start the server again ` +
      "when `reprise admin change-key` has ended.",
  );
}

/** Returns the seal of a data folder that another process may hold. Undefined if no key exists yet. */
export async function maybeSealToRead({
  secretKey,
  nextSecretKey,
}: DataFolder): Promise<TokenSeal | undefined> {
  const [key, next] = [await maybeReadFile(secretKey), await maybeReadFile(nextSecretKey)];
  if (!key) return undefined;
  return createSeal(bytesOf(key), systemRandom, next ? [bytesOf(next)] : []);
}

type Open = (settings: Config) => Promise<Connection>;

/**
 * Completes a change of the key that was interrupted. The caller holds the folder. Returns the number of values that were
 * sealed again, or undefined if no change is under way.
 */
export async function finishKeyChange(
  config: Config,
  data: DataFolder,
  open: Open,
): Promise<number | undefined> {
  const next = await maybeReadFile(data.nextSecretKey);
  if (!next) return undefined;
  const present = bytesOf(await secretInFile(data.secretKey, makeKey));
  const { seal, open: opened } = createSeal(bytesOf(next), systemRandom, [present]);
  // Synced, because the present key may only go when no power cut can bring back a value sealed with the key.
  const db = await open({ ...config, durability: "full" });
  try {
    const count = await transaction(db, (tx) => replaceSealedValues(tx, (sealed) => seal(opened(sealed))));
    crashPoint("values-sealed-again");
    await putNextKey(data, next);
    crashPoint("key-replaced");
    await syncFolder(path.dirname(data.secretKey));
    return count;
  } finally {
    await db.destroy();
  }
}

/** Gives the next key its name, unless another server of the shared folder has completed the change. */
async function putNextKey({ secretKey, nextSecretKey }: DataFolder, next: string): Promise<void> {
  try {
    await rename(nextSecretKey, secretKey);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || (await maybeReadFile(secretKey)) !== next) throw error;
  }
}

export interface KeyChange {
  /** Number of stored values that the new key seals. */
  readonly values: number;
}

/** Makes a new key for `reprise admin change-key`, and seals every stored value with it. Needs the folder to itself. */
export async function changeSecretKey(config: Config): Promise<KeyChange> {
  const data = dataFolderPaths(config.dataFolder, config.sharedFolder);
  await refuseHalfRestored(data);
  const hostId = (await maybeReadFile(data.hostId))?.trim();
  if (!hostId || !(await maybeReadFile(data.secretKey))) {
    throw new DataFolderError(
      `There is no key to change: no server has used the data folder ${data.folder} yet. Name another one with --data.`,
    );
  }
  const lock = holdFolderLock(data.lock);
  try {
    const open: Open = (settings) => openDatabase(settings, data, UNHEARD);
    await finishKeyChange(config, data, open);
    await refuseWrongKey(config, data, hostId, open);
    await writeSecretFile(data.nextSecretKey, `${makeKey()}\n`);
    await refuseOtherServers(config, data, hostId, open);
    const values = (await finishKeyChange(config, data, open))!;
    const audit = openAudit(data, () => undefined);
    audit.write(byMachineUser("change-key", { values: String(values) }));
    await audit.close();
    return { values };
  } finally {
    lock.release();
  }
}

const UNHEARD: DatabaseHooks = { onTrouble: () => undefined, onFull: () => undefined };

/** Refuses a key that does not open every value, before anything is changed, and the database of another folder. */
async function refuseWrongKey(config: Config, data: DataFolder, hostId: string, open: Open): Promise<void> {
  const db = await open(config);
  try {
    await refuseOtherHolder(config, db, { id: hostId, sharedId: await sharedIdOf(data) });
    const seal = await openSeal(data, hostId);
    for await (const sealed of sealedValues(db)) seal.open(sealed);
  } finally {
    await db.destroy();
  }
}

/**
 * Takes the next key back if a server of the shared folder runs. A server that starts later sees the next key, and
 * refuses to start (`refuseDuringChange`).
 */
async function refuseOtherServers(
  config: Config,
  data: DataFolder,
  hostId: string,
  open: Open,
): Promise<void> {
  if (!data.isShared) return;
  const db = await open(config);
  try {
    const [other] = await presentOthers(db, hostId);
    if (!other) return;
    await rm(data.nextSecretKey);
    throw new DataFolderError(
      `The key was not changed: the server of the host ${other.name} (${other.id}) uses the shared folder ${data.shared}. ` +
        "Stop all servers of the folder first.",
    );
  } finally {
    await db.destroy();
  }
}

function makeKey(): string {
  return systemRandom.bytes(SEAL_KEY_BYTES).toString("base64");
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.trim(), "base64");
}
