import { dataFolderPaths } from "#plumbing/data-folder";
import type { Connection } from "#store/database";
import { openSqlite } from "#store/dialects/sqlite";

/** The databases that a server can be run on by a test, each with how a test looks into it. */
export interface TestDatabase {
  readonly name: string;
  /** An empty one for the server on that data folder. */
  make(dataFolder: string): Promise<MadeDatabase>;
}

export interface MadeDatabase {
  /** Tells the server to use it. */
  readonly environment: Readonly<Record<string, string>>;
  /** For looking into it; the caller closes it. */
  open(): Connection;
  remove(): Promise<void>;
}

const sqlite: TestDatabase = {
  name: "SQLite",
  make: async (dataFolder) => ({
    environment: {},
    open: () => openSqlite(dataFolderPaths(dataFolder).database, "normal"),
    // It goes with the data folder.
    remove: async () => undefined,
  }),
};

export const DATABASES: readonly TestDatabase[] = [sqlite];
