import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { systemRandom } from "#plumbing/ids";
import { isLive } from "#workflow/run/run-status";
import { Dice } from "../simulation/dice.ts";
import { brokenPromises } from "../crash/check-promises.ts";
import { command } from "../support/command.ts";
import { serial } from "../crash/crash-stories.ts";
import { databaseSetting, openDatabaseOf } from "../support/database.ts";
import { processesWith } from "../crash/promises/processes.ts";
import { brokenWhileServing } from "../crash/promises/served.ts";
import { type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";
import { Witness, type WitnessedRun } from "../crash/witness.ts";

/** A data folder, and next to the folder a file `ran`: each job adds a line with its id when it starts. */
export interface Place {
  readonly dataFolder: string;
  readonly ranFile: string;
}

/** A server in use, and the place where its backup is restored. */
export interface BackupWorld {
  readonly original: Place;
  readonly copy: Place;
  /** The folder of the backup. */
  readonly backup: string;
  /** The witness of the original. */
  readonly witness: Witness;
  start(place: Place): Promise<RealServer>;
  reprise(what: "backup" | "restore", folder: string, place: Place): Promise<Outcome>;
  /** Starts runs. Resolves when some have ended, some are running and some are waiting. */
  beginRuns(count: number): Promise<void>;
  /** Returns all acknowledged requests. A backup started now must contain them. */
  whatIsKnown(): Witness;
  /** Deletes, stops and creates runs. */
  goOn(): Promise<void>;
  /** Waits for the ends of the known runs, and of runs that the server has beyond them. */
  allOver(witness: Witness): Promise<void>;
  /** Counts the processes of jobs of the original. */
  processesOfOriginal(): Promise<number>;
  judgeOriginal(server: RealServer): Promise<string[]>;
  remove(): Promise<void>;
}

export interface Outcome {
  readonly code: number | NodeJS.Signals;
  readonly printed: string;
  readonly complained: string;
}

/**
 * The command of a job. If a copy records the job as finished, the copy must have the file written after the
 * sleep.
 */
const JOB = `echo "begin $REPRISE_JOB_ID"
echo "$REPRISE_JOB_ID" >> "\${REANA_WORKSPACE%/data/workspaces/*}/ran"
sleep "$1"
mkdir -p out
echo "$REPRISE_JOB_ID" > "out/$REPRISE_JOB_ID"
echo "end $REPRISE_JOB_ID"
`;

const JOBS_OF_A_RUN = 2;
const JOB_MAX_MS = 80;
/** Six cores: two jobs never end, which leaves four places. */
const ENVIRONMENT = { REPRISE_CORES: "6" };
const LIVE_RUNS = { query: "&status=queued&status=pending&status=running&type=batch" };
const AT_REST = ["created", "finished", "failed", "stopped", "deleted"] as const;

export async function makeBackupWorld(): Promise<BackupWorld> {
  const { folder, remove } = await temporaryFolder();
  const [original, copy] = [await makePlace(folder, "original"), await makePlace(folder, "copy")];
  const script = path.join(folder, "job.sh");
  await writeFile(script, JOB);
  const witness = new Witness();
  const dice = new Dice(systemRandom.bytes(4).readUInt32LE(), "backup");
  const job = (seconds: number, then = "true") => `bash ${script} ${seconds} && ${then}`;
  const quick = () => job(dice.between(0, JOB_MAX_MS) / 1000);

  async function begin(endsAs: WitnessedRun["endsAs"], token?: string): Promise<WitnessedRun> {
    const commands = Array.from({ length: JOBS_OF_A_RUN }, quick);
    if (endsAs === "failed") commands[1] = job(0, "exit 3");
    if (endsAs === "stopped") commands[1] = job(1000);
    const run = await witness.createRun("w", serial(commands), { endsAs, ...(token && { token }) });
    await witness.upload(run, "data/in.txt", `input of ${run.id}`);
    await witness.start(run);
    return run;
  }

  const ofKind = (endsAs: WitnessedRun["endsAs"]) => witness.runs.filter((run) => run.endsAs === endsAs);

  return {
    original,
    copy,
    backup: path.join(folder, "backup"),
    witness,
    start: ({ dataFolder }) =>
      startRealServer(dataFolder, { ...ENVIRONMENT, PATH: `${process.env["PATH"]}:${dataFolder}/none` }),
    async reprise(what, where, { dataFolder }) {
      const environment = await databaseSetting(dataFolder);
      const typed = command([what, where, "--data", dataFolder], { environment });
      const code = await typed.ended;
      return { code, printed: typed.stdout().trim(), complained: typed.stderr().trim() };
    },
    async beginRuns(count) {
      const ada = await witness.createUser("ada");
      for (const endsAs of ["stopped", "stopped", "failed"] as const) await begin(endsAs, ada.tokens[0]);
      await Promise.all(Array.from({ length: count - 3 }, () => begin("finished")));
      for (const run of ofKind("stopped")) await witness.until(run, "running");
      await witness.until(ofKind("finished")[0]!, "finished");
    },
    whatIsKnown() {
      const known = new Witness();
      known.users.push(...structuredClone(witness.users));
      known.runs.push(...structuredClone(witness.runs));
      return known;
    },
    async goOn() {
      for (const run of ofKind("finished").slice(0, 10)) {
        if (!isLive(await witness.look(run))) await witness.remove(run);
      }
      await witness.stop(ofKind("stopped")[0]!);
      for (let more = 0; more < 3; more += 1) await begin("finished");
    },
    async allOver(one) {
      for (const run of one.runs) {
        if (run.endsAs === "stopped" && isLive(await one.look(run))) await one.stop(run);
        await one.until(run, ...AT_REST);
      }
      // A run that began after the backup was started may be in the copy.
      await expect.poll(async () => (await one.expect(200, "GET", "workflows", LIVE_RUNS))["total"]).toBe(0);
    },
    processesOfOriginal: async () =>
      (await processesWith([`REANA_WORKSPACE=${path.join(original.dataFolder, "workspaces")}`])).length,
    async judgeOriginal(server) {
      const { dataFolder, ranFile } = original;
      const broken = await brokenWhileServing(witness, await linesOf(ranFile));
      await server.stop();
      const db = await openDatabaseOf(dataFolder);
      try {
        return [...broken, ...(await brokenPromises({ dataFolder, ranFile, witness, db }))];
      } finally {
        await db.destroy();
      }
    },
    remove,
  };
}

export async function linesOf(file: string): Promise<string[]> {
  return (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
}

async function makePlace(folder: string, name: string): Promise<Place> {
  const top = path.join(folder, name);
  await mkdir(top);
  await writeFile(path.join(top, "ran"), "");
  return { dataFolder: path.join(top, "data"), ranFile: path.join(top, "ran") };
}
