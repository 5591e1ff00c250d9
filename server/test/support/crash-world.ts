import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { signal } from "#backends/local/process-table";
import { dataFolderPaths } from "#plumbing/data-folder";
import { isUuid } from "#plumbing/ids";
import type { Connection } from "#store/database";
import { brokenAtDeath, brokenPromises } from "./check-promises.ts";
import { openDatabaseOf } from "./database.ts";
import { processesWith } from "./promises/processes.ts";
import { brokenWhileServing } from "./promises/served.ts";
import {
  EndedEarly,
  type Exit,
  type RealServer,
  startRealServer,
  startProgram,
  temporaryFolder,
} from "./real-server.ts";
import { Witness } from "./witness.ts";

/** A place where servers live and die one after the other, on one data folder and one database. */
export interface CrashWorld {
  readonly witness: Witness;
  /** A serial step that says its job's id in the log and in `ran`, and takes that long. */
  job(seconds?: number, then?: string): string;
  start(environment?: Readonly<Record<string, string>>): Promise<RealServer>;
  /** A server that is meant to die: answers how it ended if it did so before it was ready. */
  startDoomed(crashAt: string): Promise<RealServer | Exit>;
  /** What a server that was killed left: a sentence for each promise that was broken there and then. */
  examine(): Promise<string[]>;
  /** Once all runs have come to their end: a sentence for each promise that was broken. Ends the server. */
  judge(server: RealServer): Promise<string[]>;
  /** With whatever still runs in it. */
  remove(): Promise<void>;
}

/** Begins and ends in the log, and one line in between where all jobs of this world leave theirs. */
const JOB = `echo "begin $REPRISE_JOB_ID"
echo "$REPRISE_JOB_ID $$ $RANDOM" >> "\${0%/*}/ran"
if [ "$1" != 0 ]; then sleep "$1"; fi
echo "end $REPRISE_JOB_ID"
`;

interface WorldOptions {
  /** Instead of the product's own: it is told the data folder. */
  readonly program?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  /** Instead of the one that the tests run on. */
  readonly openDatabase?: () => Connection;
}

export async function makeWorld(options: WorldOptions = {}): Promise<CrashWorld> {
  const { program, environment = {}, openDatabase } = options;
  const { folder, remove } = await temporaryFolder();
  const dataFolder = path.join(folder, "data");
  const [script, ranFile] = [path.join(folder, "job.sh"), path.join(folder, "ran")];
  await mkdir(dataFolder);
  await writeFile(script, JOB);
  await writeFile(ranFile, "");
  const witness = new Witness();

  async function start(more: Readonly<Record<string, string>> = {}): Promise<RealServer> {
    // What the server starts inherits it: whoever is still there in the end can be told by it.
    const marked = { PATH: `${process.env["PATH"]}:${dataFolder}/none` };
    const all = { ...environment, ...marked, ...more };
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
    job: (seconds = 0, then = "true") => `bash ${script} ${seconds} && ${then}`,
    start,
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
      // Before there were any, there may be no tables either.
      return attempts.length === 0 ? [] : withDatabase((db) => brokenAtDeath({ dataFolder, db, witness }));
    },
    async judge(server) {
      const ran = (await readFile(ranFile, "utf8")).split("\n").filter((line) => line !== "");
      const broken = await brokenWhileServing(witness, ran);
      await server.stop();
      const evidence = { dataFolder, witness, ranFile };
      return [...broken, ...(await withDatabase((db) => brokenPromises({ ...evidence, db })))];
    },
    async remove() {
      // Where a test has failed, something may still be there.
      for (const { pid } of await processesWith([dataFolder])) signal(pid, "SIGKILL");
      await remove();
    },
  };
}
