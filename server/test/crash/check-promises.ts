import { readFile } from "node:fs/promises";
import type { Connection } from "#store/database/database";
import { acknowledgedInRows, forgetLostStops } from "./promises/acknowledged.ts";
import { wrongCounters } from "./promises/counters.ts";
import { unrecordedAttempts, wrongFiles } from "./promises/files.ts";
import { eventsWithGaps, wrongHistories } from "./promises/histories.ts";
import { lostOutsideIds } from "./promises/outside-ids.ts";
import { lostMessages } from "./promises/messages.ts";
import { leftProcesses } from "./promises/processes.ts";
import { wrongCommands, wrongTimesRun } from "./promises/ran-once.ts";
import { wrongResults } from "./promises/results.ts";
import { loadRows } from "./promises/rows.ts";
import { secretsInFiles } from "./promises/secrets.ts";
import type { Witness } from "./witness.ts";

export interface Evidence {
  readonly dataFolder: string;
  /** The database of the server, which was stopped after all runs had ended. */
  readonly db: Connection;
  readonly witness: Witness;
  /** The file to which each job adds a line. The line starts with the job's id. */
  readonly ranFile: string;
}

/**
 * Checks whether a server kept its promises P1 to P8: from the rows of its database, its files, the processes
 * of this machine, and a file with a line from each job. Returns a sentence for each broken promise.
 * `brokenWhileServing` checks the promises visible on a running server only.
 */
export async function brokenPromises(evidence: Evidence): Promise<string[]> {
  const { dataFolder, witness } = evidence;
  const rows = await loadRows(evidence.db);
  const ran = await linesOf(evidence.ranFile);
  // First, because ending processes remove their files.
  const left = await leftProcesses(rows, dataFolder);
  return [
    ...left,
    ...acknowledgedInRows(rows, witness),
    ...wrongHistories(rows, witness),
    ...wrongTimesRun(rows, ran),
    ...wrongCommands(rows, witness, ran),
    ...wrongCounters(rows),
    ...lostOutsideIds(rows),
    ...lostMessages(rows, witness),
    ...wrongResults(rows),
    ...(await wrongFiles(rows, dataFolder)),
    ...(await secretsInFiles(witness, dataFolder)),
  ];
}

/**
 * Checks the promises that hold at every moment, even after a kill: every submitted job is recorded, and
 * every transaction is recorded as a whole or not at all.
 */
export async function brokenAtDeath(evidence: Omit<Evidence, "ranFile">): Promise<string[]> {
  const { dataFolder, db, witness } = evidence;
  const rows = await loadRows(db);
  forgetLostStops(rows, witness);
  return [
    ...wrongCounters(rows),
    ...wrongResults(rows),
    ...eventsWithGaps(rows),
    ...(await unrecordedAttempts(rows, dataFolder)),
  ];
}

async function linesOf(file: string): Promise<string[]> {
  return (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
}
