import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { type BackupWorld, linesOf } from "./backup-world.ts";
import { openDatabaseOf } from "../support/database.ts";
import { wrongCounters } from "../crash/promises/counters.ts";
import { wrongFiles } from "../crash/promises/files.ts";
import { wrongHistories } from "../crash/promises/histories.ts";
import { leftProcesses } from "../crash/promises/processes.ts";
import { loadRows, type Row, type Rows } from "../crash/promises/rows.ts";
import { brokenWhileServing } from "../crash/promises/served.ts";
import type { RealServer } from "../support/real-server.ts";
import { Witness, type WitnessedRun } from "../crash/witness.ts";

/**
 * Checks that a restored server whose runs have all ended kept the promises P1 to P8 about `known`, the
 * requests acknowledged before its backup was started. Reads the answers, rows and files of the server, and
 * the lines written by jobs. Stops the server.
 */
export async function brokenInCopy(
  world: BackupWorld,
  known: Witness,
  server: RealServer,
): Promise<string[]> {
  const { dataFolder, ranFile } = world.copy;
  const ran = await linesOf(ranFile);
  const served = await brokenWhileServing(withoutDeleted(known, world.witness), ran);
  await server.stop();
  const db = await openDatabaseOf(dataFolder);
  const rows = await loadRows(db);
  await db.destroy();
  const handedOver = await attemptsIn(path.join(world.backup, "files"));
  const left = await wrongFiles(rows, dataFolder);
  const deleted = deletedRuns(world.witness);
  return [
    ...served,
    ...(await leftProcesses({ ...rows, jobs: [] }, dataFolder)),
    ...known.runs.flatMap((run) => wrongEnd(world, rows, run)),
    ...wrongHistories(rows, known),
    ...wrongCounters(rows),
    ...wrongTimes(rows, ran, handedOver, deleted),
    ...missingOutputs(rows, dataFolder, deleted),
    // Leftovers of a job that started during the backup. In the copy, its run failed before the job was
    // reached.
    ...left.filter((one) => !handedOver.has(one.slice(0, -1).split("/").at(-1)!)),
  ];
}

/**
 * Leaves out deleted runs: a run that was live at the start of the backup may have lost its files when the
 * original server deleted the run.
 */
function withoutDeleted(known: Witness, now: Witness): Witness {
  const deleted = deletedRuns(now);
  const rest = Object.assign(new Witness(), { url: known.url });
  rest.users.push(...known.users);
  rest.runs.push(...known.runs.filter(({ id }) => !deleted.has(id)));
  return rest;
}

function deletedRuns({ runs }: Witness): ReadonlySet<string> {
  return new Set(runs.filter((run) => run.deleted !== "never").map(({ id }) => id));
}

/**
 * Checks that an acknowledged run is recorded. A live run must end as expected, or fail because a job is
 * lost.
 */
function wrongEnd({ witness }: BackupWorld, rows: Rows, run: WitnessedRun): string[] {
  const row = rows.runs.find(({ id }) => id === run.id);
  if (!row) return [`P1: the run ${run.id} is not in the copy.`];
  const now = witness.runs.find(({ id }) => id === run.id)!;
  const isLost = rows.jobs.some((job) => job.run_id === run.id && job.reason === "lost");
  const seen = run.seen.find((status) => ["finished", "failed", "stopped"].includes(status));
  const allowed = [seen ?? run.endsAs];
  if (now.deleted !== "never") allowed.push("deleted");
  if (now.deleted !== "never" || now.stopped !== "never") allowed.push("stopped");
  if (seen === undefined && isLost) allowed.push("failed");
  return allowed.includes(row.status)
    ? []
    : [`P1: ${run.id} is ${row.status} in the copy (${row.failure}), and not ${allowed.join(" or ")}.`];
}

/** P2: the copy runs no job that had been submitted when the backup was made, and no other job twice. */
function wrongTimes(
  rows: Rows,
  ran: readonly string[],
  handedOver: ReadonlySet<string>,
  deleted: ReadonlySet<string>,
): string[] {
  const jobs = new Map(rows.jobs.map((job) => [job.id, job]));
  const twice = ran.filter((id, index) => ran.indexOf(id) !== index);
  return [
    ...twice.map((id) => `P2: the copy ran ${id} twice.`),
    ...ran.filter((id) => handedOver.has(id)).map((id) => `P2: the copy ran ${id} once more.`),
    ...ran.filter((id) => !jobs.has(id)).map((id) => `P2: the copy ran ${id}, which is not recorded.`),
    ...rows.jobs.filter((job) => isUnended(job)).map((job) => `P3: the job ${job.id} is ${job.status}.`),
    ...rows.jobs
      .filter((job) => job.reason === "exited" && !handedOver.has(job.id) && !ran.includes(job.id))
      .filter((job) => !isOfDeleted(rows, job, deleted))
      .map((job) => `P2: the job ${job.id} has ended, and never ran.`),
  ];
}

/** Checks that a job that has finished, here or in the original, has left its file: files are copied after the rows. */
function missingOutputs(rows: Rows, dataFolder: string, deleted: ReadonlySet<string>): string[] {
  const workspaceOf = new Map(rows.runs.map((row) => [row.id, row.workspace_id]));
  return rows.jobs
    .filter((job) => job.status === "finished" && !isOfDeleted(rows, job, deleted))
    .map((job) => path.join(workspaceOf.get(job.run_id)!, "out", job.id))
    .filter((file) => !existsSync(path.join(dataFolderPaths(dataFolder).workspaces, file)))
    .map((file) => `P1: the output ${file} of a finished job is gone.`);
}

function isUnended({ status }: Row<"jobs">): boolean {
  return status === "running" || status === "created";
}

/**
 * True if the original deleted the run, or may have: a run that was live in the rows of the backup continues in the copy,
 * also if the original deleted its files before they were copied.
 */
function isOfDeleted(rows: Rows, job: Row<"jobs">, deleted: ReadonlySet<string>): boolean {
  const status = rows.runs.find(({ id }) => id === job.run_id)?.status;
  return deleted.has(job.run_id) || status === "deleted" || status === "stopped";
}

async function attemptsIn(folder: string): Promise<Set<string>> {
  return new Set(await readdir(dataFolderPaths(folder).jobs));
}
