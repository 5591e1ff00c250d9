import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { Connection } from "#store/database/database";
import { openPostgres } from "#store/dialects/postgres";
import { makeDatabase } from "#store/dialects/postgres-databases-suite";
import { needsPostgres } from "#store/dialects/postgres-server-suite";
import { type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

/** Servers with the same PostgreSQL database and shared folder. */
export interface Servers {
  /** Returns a path in the folder of the test, such as the data folder of a server by name. */
  place(name: string): string;
  /** Starts a server with the folder `shared`. The fixture ends the server after the test. */
  start(name: string, environment?: Readonly<Record<string, string>>): Promise<RealServer>;
  /** Returns the id of the host of a server. */
  hostId(name: string): Promise<string>;
  /** Runs a query on the database of the servers. */
  query<Result>(work: (db: Connection) => Promise<Result>): Promise<Result>;
}

/** Makes a database and a shared folder for each test. */
export function serversForEach(): Servers {
  let folder: string;
  let database: string;
  let end: (() => Promise<unknown>)[];
  const place = (name: string) => path.join(folder, name);

  beforeEach(needsPostgres);
  beforeEach(async () => {
    const made = await temporaryFolder();
    folder = made.folder;
    end = [made.remove];
    database = await makeDatabase("template1");
    await mkdir(place("shared"));
  });
  afterEach(async () => {
    for (const one of end.toReversed()) await one();
  });

  return {
    place,
    async start(name, environment = {}) {
      const settings = { ...environment, REPRISE_DATABASE: database };
      const server = await startRealServer(place(name), settings, "--shared", place("shared"));
      end.push(() => server.stop());
      return server;
    },
    hostId: async (name) => (await readFile(place(`${name}/host-id`), "utf8")).trim(),
    async query(work) {
      const db = openPostgres(database);
      try {
        return await work(db);
      } finally {
        await db.destroy();
      }
    },
  };
}
