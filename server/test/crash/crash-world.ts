import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { signal } from "#backends/process/table/process-table";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { isUuid } from "#plumbing/ids";
import type { Connection } from "#store/database/database";
import { brokenAtDeath, brokenPromises } from "./check-promises.ts";
import { openDatabaseOf } from "../support/database.ts";
import { onHost, type OpenPlace } from "./job-places.ts";
import { missingInAudit } from "./promises/audited.ts";
import { marked, processesWith } from "./promises/processes.ts";
import { brokenWhileServing } from "./promises/served.ts";
import {
  EndedEarly,
  type Exit,
  type RealServer,
  startRealServer,
  startProgram,
  temporaryFolder,
} from "../support/real-server.ts";
import { Witness } from "./witness.ts";

/** A data folder and a database on which servers start and die in turn. */
export interface CrashWorld {
  readonly witness: Witness;
  /** Returns a serial step that takes `seconds`, and writes the job's id to the log and to `ran`. */
  job(seconds?: number, then?: string): string;
  start(environment?: Readonly<Record<string, string>>): Promise<RealServer>;
  /** Starts a server with a crash point. Returns its exit if the server died before it was ready. */
  startDoomed(crashAt: string): Promise<RealServer | Exit>;
  withDatabase<Result>(work: (db: Connection) => Promise<Result>): Promise<Result>;
  /** Checks the state after a kill. Returns a sentence for each broken promise. */
  examine(): Promise<string[]>;
  /** Checks all promises after all runs have ended. Returns a sentence for each broken one. Stops the server. */
  judge(server: RealServer): Promise<string[]>;
  /** Removes the folder, and kills the remaining processes of the world. */
  remove(): Promise<void>;
}

interface WorldOptions {
  /** A program to run in place of the product. The data folder is in its environment. */
  readonly program?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  /** Returns files to put into the data folder: content by name. */
  readonly files?: (dataFolder: string) => Readonly<Record<string, string>>;
  /** Opens a database other than the default database of the tests. */
  readonly openDatabase?: () => Connection;
  /** The place where jobs run. Default: on this machine, without a wall. */
  readonly openPlace?: OpenPlace | undefined;
}

export async function makeWorld(options: WorldOptions = {}): Promise<CrashWorld> {
  const { program, environment = {}, files, openDatabase, openPlace = onHost } = options;
  const { folder, remove } = await temporaryFolder();
  const [dataFolder, ownFolder] = [path.join(folder, "data"), path.join(folder, "jobs")];
  const ranFile = path.join(ownFolder, "ran");
  await mkdir(dataFolder);
  for (const [name, content] of Object.entries(files?.(dataFolder) ?? {}))
    await writeFile(path.join(dataFolder, name), content, { mode: 0o600 });
  await mkdir(ownFolder);
  await writeFile(ranFile, "");
  const place = await openPlace(ownFolder, ranFile);
  const witness = new Witness();

  async function start(more: Readonly<Record<string, string>> = {}): Promise<RealServer> {
    const all = { ...place.environment, ...environment, ...marked(dataFolder), ...more };
    const server =
      program === undefined
        ? await startRealServer(dataFolder, all)
        : await startProgram(program, dataFolder, all);
    witness.url = server.url;
    return server;
  }

  async function withDatabase<Result>(work: (db: Connection) => Promise<Result>): Promise<Result> {
    const db = openDatabase?.() ?? (await openDatabaseOf(dataFolder));
    try {
      return await work(db);
    } finally {
      await db.destroy();
    }
  }

  return {
    witness,
    job: (seconds = 0, then = "true") => place.job(seconds, then),
    start,
    withDatabase,
    async startDoomed(crashAt) {
      try {
        return await start({ CRASH_AT: crashAt });
      } catch (error) {
        if (error instanceof EndedEarly) return error.exit;
        throw error;
      }
    },
    async examine() {
      const attempts = (await readdir(dataFolderPaths(dataFolder).jobs)).filter(isUuid);
      // If no attempt was ever made, the tables may not exist either.
      return attempts.length === 0 ? [] : withDatabase((db) => brokenAtDeath({ dataFolder, db, witness }));
    },
    async judge(server) {
      const ran = (await readFile(ranFile, "utf8")).split("\n").filter((line) => line !== "");
      const broken = await brokenWhileServing(witness, ran);
      broken.push(...(await missingInAudit(witness, dataFolder)));
      await server.stop();
      const evidence = { dataFolder, witness, ranFile };
      return withDatabase(async (db) => {
        const jobs = await db.selectFrom("jobs").select("id").execute();
        const left = place.left(jobs.map(({ id }) => id));
        return [...broken, ...(await brokenPromises({ ...evidence, db })), ...left];
      });
    },
    async remove() {
      // After a failed test, processes may be left.
      for (const { pid } of await processesWith([dataFolder])) signal(pid, "SIGKILL");
      await place.close();
      await remove();
    },
  };
}
