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
  /** The file to which each job has added a line that starts with its id. */
  readonly ranFile: string;
}

/**
 * Checks whether a server kept its promises P1 to P8: from the rows of its database, its files, the processes of this
 * machine, and a file to which each job added a line. Returns a sentence for each broken promise. `brokenWhileServing`
 * checks what only a running server can show.
 */
export async function brokenPromises(evidence: Evidence): Promise<string[]> {
  const { dataFolder, witness } = evidence;
  const rows = await loadRows(evidence.db);
  const ran = await linesOf(evidence.ranFile);
  // First, because processes that are about to end remove their files.
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
 * Checks what must hold at every moment, even after a kill: every submitted job is recorded, and what was written in
 * one transaction is there as a whole.
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
