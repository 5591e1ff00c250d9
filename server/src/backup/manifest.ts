import { readFile } from "node:fs/promises";
import path from "node:path";
import { BackupError } from "#backup/backup-error";
import { codeOf } from "#plumbing/errors";
import type { Table } from "#store/database/all-rows";
import { isUnreleased, migrations } from "#store/migrations/index";

/** Version of the layout of a backup; increases when the layout changes. */
const FORMAT = 1;
/** Suffix of a backup's name until it is complete. */
export const PART = ".part";

/**
 * Manifest of a backup. A backup is a folder with this manifest, a file of rows for each table (`database/`), a list of
 * the files (`files.jsonl`), and the files themselves (`files/`), arranged as in a data folder. The manifest has a
 * checksum of everything.
 */
export interface Manifest {
  readonly format: number;
  /** Version of the program that made the backup. */
  readonly version: string;
  readonly created_at: string;
  readonly database: "SQLite" | "PostgreSQL";
  readonly migrations: readonly string[];
  /** Tables by name. A table that a later version added is missing in an older backup. */
  readonly tables: Readonly<Partial<Record<Table, Content & { readonly rows: number }>>>;
  readonly files: Content & { readonly count: number };
  /** Ids of runs deleted while their files were being copied. */
  readonly deleted_meanwhile: readonly string[];
  /** Paths in the data folder that could not be read. */
  readonly left_out: readonly string[];
}

/** Size and checksum of a file. */
export interface Content {
  readonly bytes: number;
  readonly sha256: string;
}

/** A line of the list: a file, a folder, or a link, by its path in the data folder. */
export type ListedFile =
  | (Content & {
      readonly path: string;
      readonly kind: "file";
      readonly mode: number;
      readonly mtime: number;
    })
  | { readonly path: string; readonly kind: "folder"; readonly mode: number; readonly mtime: number }
  | { readonly path: string; readonly kind: "link"; readonly target: string };

/** Returns the paths of the parts of a backup. */
export function backupPaths(folder: string) {
  return {
    manifest: path.join(folder, "manifest.json"),
    rows: (table: Table) => path.join(folder, "database", `${table}.jsonl`),
    database: path.join(folder, "database"),
    list: path.join(folder, "files.jsonl"),
    files: path.join(folder, "files"),
  };
}

export function newManifest(parts: Omit<Manifest, "format">): Manifest {
  return { format: FORMAT, ...parts };
}

/** Reads the manifest. Refuses a folder that is not a backup, and a backup of a newer version. */
export async function readManifest(source: string, version: string): Promise<Manifest> {
  const manifest = parseManifest(source, await readText(source));
  const isNewer =
    manifest.format > FORMAT || manifest.migrations.some((name) => !Object.hasOwn(migrations, name));
  if (isNewer) {
    const kind = manifest.migrations.some(isUnreleased) ? "an unreleased" : "a newer";
    throw new BackupError(
      `${source} was made by ${kind} version of Reprise (${manifest.version}; this is ${version}). ` +
        "Restore it with that version. Nothing was changed.",
    );
  }
  return manifest;
}

async function readText(source: string): Promise<string> {
  try {
    return await readFile(backupPaths(source).manifest, "utf8");
  } catch (error) {
    if (!["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) throw error;
    if (source.endsWith(PART)) throw half(source);
    throw new BackupError(
      `${source} is no backup: it holds no manifest.json. Name the folder that \`reprise backup\` has made.`,
    );
  }
}

function half(source: string): BackupError {
  return new BackupError(
    `${source} is an incomplete backup: it is still being written, or was interrupted. Nothing was restored. ` +
      "Name a complete one; remove this one if no backup is running.",
  );
}

function parseManifest(source: string, text: string): Manifest {
  try {
    return JSON.parse(text) as Manifest;
  } catch (error) {
    throw damaged(source, "manifest.json", error);
  }
}

export function damaged(source: string, name: string, cause?: unknown): BackupError {
  return new BackupError(
    `The backup ${source} is damaged: ${name} is not what was written. Nothing was restored. Take another one.`,
    { cause },
  );
}
