import { readFile } from "node:fs/promises";
import type { Connection } from "#store/database";
import { acknowledgedInRows, forgetLostStops } from "./promises/acknowledged.ts";
import { wrongCounters } from "./promises/counters.ts";
import { unrecordedAttempts, wrongFiles } from "./promises/files.ts";
import { eventsWithGaps, wrongHistories } from "./promises/histories.ts";
import { leftProcesses } from "./promises/processes.ts";
import { wrongTimesRun } from "./promises/ran-once.ts";
import { wrongResults } from "./promises/results.ts";
import { loadRows } from "./promises/rows.ts";
import { secretsInFiles } from "./promises/secrets.ts";
import type { Witness } from "./witness.ts";

export interface Evidence {
  readonly dataFolder: string;
  /** Of the server, which has been stopped after all runs had come to their end. */
  readonly db: Connection;
  readonly witness: Witness;
  /** To which each job has added a line that begins with its id. */
  readonly ranFile: string;
}

/**
 * Whether a server kept its promises P1 to P8, whatever happened to it: from the rows of its database, from its files,
 * from the processes of this machine, and from a file to which each job added a line. Answers a sentence for each
 * promise that was broken. What can be asked of a server only while it lives is asked by `lookAgain`.
 */
export async function brokenPromises(evidence: Evidence): Promise<string[]> {
  const { dataFolder, witness } = evidence;
  const rows = await loadRows(evidence.db);
  const ran = await linesOf(evidence.ranFile);
  // First: what is about to leave takes its files along.
  const left = await leftProcesses(rows, dataFolder);
  return [
    ...left,
    ...acknowledgedInRows(rows, witness),
    ...wrongHistories(rows, witness),
    ...wrongTimesRun(rows, ran),
    ...wrongCounters(rows),
    ...wrongResults(rows),
    ...(await wrongFiles(rows, dataFolder)),
    ...(await secretsInFiles(witness, dataFolder)),
  ];
}

/**
 * What must hold at every moment, also in what a killed server leaves: what was handed out is recorded, and what was
 * written together is there together.
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
