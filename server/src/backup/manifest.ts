import { readFile } from "node:fs/promises";
import path from "node:path";
import { BackupError } from "#backup/backup-error";
import { codeOf } from "#plumbing/errors";
import type { Table } from "#store/all-rows";
import { migrations } from "#store/migrations/index";

/** How a backup lies on the disk; a version that lays it out in another way counts on. */
const FORMAT = 1;
/** What is added to the name of a backup until it is whole. */
export const PART = ".part";

/**
 * A backup is a folder: this manifest, a file of rows for each table (`database/`), a list of the files
 * (`files.jsonl`), and the files themselves (`files/`) as they lie in a data folder. It holds a checksum of everything.
 */
export interface Manifest {
  readonly format: number;
  /** Of the program that made it. */
  readonly version: string;
  readonly created_at: string;
  readonly database: "SQLite" | "PostgreSQL";
  readonly migrations: readonly string[];
  /** One that came with a later version of the program is not in an older backup. */
  readonly tables: Readonly<Partial<Record<Table, Content & { readonly rows: number }>>>;
  readonly files: Content & { readonly count: number };
  /** Ids of runs that were deleted while their files were being copied. */
  readonly deleted_meanwhile: readonly string[];
  /** What could not be read, by its place in the data folder. */
  readonly left_out: readonly string[];
}

/** What a file holds. */
export interface Content {
  readonly bytes: number;
  readonly sha256: string;
}

/** One line of the list: a file, a folder, or a link, by its place in the data folder. */
export type ListedFile =
  | (Content & {
      readonly path: string;
      readonly kind: "file";
      readonly mode: number;
      readonly mtime: number;
    })
  | { readonly path: string; readonly kind: "folder"; readonly mode: number; readonly mtime: number }
  | { readonly path: string; readonly kind: "link"; readonly target: string };

/** Where the parts of a backup lie. */
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

/** Refuses what is no backup, or one that this version does not understand. */
export async function readManifest(source: string, version: string): Promise<Manifest> {
  const manifest = parseManifest(source, await readText(source));
  const isNewer =
    manifest.format > FORMAT || manifest.migrations.some((name) => !Object.hasOwn(migrations, name));
  if (isNewer) {
    throw new BackupError(
      `${source} was made by a newer version of Reprise (${manifest.version}; this is ${version}). ` +
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
    `${source} is half a backup: it is being made, or that was broken off. Nothing was restored. ` +
      "Name a whole one; remove this one if nobody is writing to it.",
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
