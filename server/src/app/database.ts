import { setTimeout as delay } from "node:timers/promises";
import type { Config } from "#config/settings";
import { systemClock } from "#plumbing/clock";
import { type DataFolder, dataFolderPaths, prepareDataFolder } from "#plumbing/files/data-folder";
import { type Connection, inspectDatabase, migrate } from "#store/database/database";
import { FolderInUseError, type FolderLock, holdFolderLock } from "#store/dialects/folder-lock";
import type { PostgresOptions } from "#store/dialects/postgres";
import { openSqlite } from "#store/dialects/sqlite";
import type { DatabaseReport } from "#workflow/reports";

/** The database that the settings name, SQLite or PostgreSQL. */

type Settings = Pick<Config, "database" | "dataFolder" | "durability">;

export interface DatabaseHooks {
  readonly onTrouble: NonNullable<PostgresOptions["onTrouble"]>;
  /** Frees space on the disk of the data folder. */
  readonly onFull: () => void;
}

/** Opens the database and migrates its tables. The caller holds the data folder. */
export async function openDatabase(
  config: Settings,
  data: DataFolder,
  { onTrouble, onFull }: DatabaseHooks,
): Promise<Connection> {
  if (config.database === undefined) {
    const db = openSqlite(data.database, config.durability, systemClock, { onFull });
    await migrate(db).catch((error: unknown) => closeAndThrow(db, error));
    return db;
  }
  await migratePostgres(config.database);
  const { openPostgres } = await import("#store/dialects/postgres");
  return openPostgres(config.database, { onTrouble });
}

/** Opens the database for readers, without changes. A server may be using the database. */
export async function openRunningDatabase(config: Settings, data: DataFolder): Promise<Connection> {
  if (config.database === undefined) return openSqlite(data.database, "normal");
  const { openPostgres } = await import("#store/dialects/postgres");
  return openPostgres(config.database, { isUnhurried: true });
}

/** Opens a new database, and refuses a database with tables. SQLite creates `file`. */
export async function openEmptyDatabase(config: Settings, file: string): Promise<Connection> {
  if (config.database === undefined) return openSqlite(file, "normal");
  const { openPostgres } = await import("#store/dialects/postgres");
  const db = openPostgres(config.database, { isUnhurried: true });
  const { isNew } = await inspectDatabase(db).catch((error: unknown) => closeAndThrow(db, error));
  if (isNew) return db;
  return closeAndThrow(
    db,
    new Error("the database that REPRISE_DATABASE names holds tables of Reprise already; make an empty one"),
  );
}

export interface Migrated {
  readonly database: "SQLite" | "PostgreSQL";
  /** Names of the applied migrations; empty if the database was up to date. */
  readonly changes: readonly string[];
}

/**
 * Migrates for `reprise migrate`: PostgreSQL while any number of servers run, SQLite only while no other
 * process uses the data folder.
 */
export async function migrateDatabase(config: Settings): Promise<Migrated> {
  if (config.database !== undefined) {
    return { database: "PostgreSQL", changes: await migratePostgres(config.database) };
  }
  const data = await prepareDataFolder(config.dataFolder);
  const lock = await holdFolderLockSoon(data.lock);
  try {
    const db = openSqlite(data.database, config.durability);
    const changes = await migrate(db).catch((error: unknown) => closeAndThrow(db, error));
    await db.destroy();
    return { database: "SQLite", changes };
  } finally {
    lock.release();
  }
}

/** Describes the database for `reprise doctor`. Changes nothing: SQLite's file is not even opened. */
export async function reportDatabase({ database, dataFolder }: Settings): Promise<DatabaseReport> {
  if (database === undefined) {
    return { database: "SQLite", file: dataFolderPaths(dataFolder).database };
  }
  const { openPostgres, postgresBytes, postgresVersion } = await import("#store/dialects/postgres");
  const db = openPostgres(database);
  try {
    return {
      database: "PostgreSQL",
      version: await postgresVersion(db),
      bytes: await postgresBytes(db),
      ...(await inspectDatabase(db)),
    };
  } finally {
    await db.destroy();
  }
}

/**
 * Migrates on a separate connection: filling a new column of a large table may take longer than the limit of a request.
 */
async function migratePostgres(url: string): Promise<readonly string[]> {
  const { openPostgres } = await import("#store/dialects/postgres");
  const db = openPostgres(url, { isUnhurried: true });
  const changes = await migrate(db).catch((error: unknown) => closeAndThrow(db, error));
  await db.destroy();
  return changes;
}

async function closeAndThrow(db: Connection, error: unknown): Promise<never> {
  await db.destroy();
  throw error;
}

/** Limits for taking the lock: another `migrate` holds the lock briefly, a server as long as it runs. */
const LOCK_ATTEMPTS = 50;
const LOCK_INTERVAL_MS = 100;

async function holdFolderLockSoon(file: string): Promise<FolderLock> {
  for (let left = LOCK_ATTEMPTS; ; left -= 1) {
    try {
      return holdFolderLock(file);
    } catch (error) {
      if (!(error instanceof FolderInUseError) || left === 0) throw error;
      await delay(LOCK_INTERVAL_MS);
    }
  }
}
