import { readdir } from "node:fs/promises";
import path from "node:path";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { isUuid } from "#plumbing/ids";
import type { Rows } from "./rows.ts";

/** P6 and P1: no partial file, no deleted file, and no file without a row. */
export async function wrongFiles(rows: Rows, dataFolder: string): Promise<string[]> {
  const paths = dataFolderPaths(dataFolder);
  const unknown = async (folder: string, known: ReadonlySet<string>) =>
    (await readdir(folder)).filter((name) => !known.has(name)).map((name) => path.join(folder, name));
  const left = [
    ...(await unknown(paths.incoming, new Set())),
    ...(await unknown(paths.workspaces, keptWorkspaces(rows))),
    ...(await unknown(paths.jobs, keptJobs(rows).add(SLOTS).add(SANDBOX).add(HELPER_LOG))),
    ...(await unknown(path.join(paths.jobs, SLOTS), new Set())),
    ...(await temporaryFiles(dataFolder)),
  ];
  return [
    ...left.map((file) => `Left behind: ${path.relative(dataFolder, file)}.`),
    ...workspacesOfNobody(rows).map((id) => `Left behind: the row of the workspace ${id}, which no run has.`),
    ...notMarked(rows).map((id) => `The workspace ${id} of deleted runs is not marked as removed.`),
  ];
}

/** Finds attempts of jobs without a row, submitted before the submission was recorded. */
export async function unrecordedAttempts(rows: Rows, dataFolder: string): Promise<string[]> {
  const recorded = new Set([...rows.jobs, ...rows.notebooks].map(({ id }) => id));
  const attempts = (await readdir(dataFolderPaths(dataFolder).jobs)).filter(isUuid);
  return attempts
    .filter((id) => !recorded.has(id))
    .map((id) => `P2: the job ${id} is handed out, not recorded.`);
}

/** Folder of the slots, next to the folders of jobs. Must be empty at the end. */
const SLOTS = "slots";
/** The folder that jobs in the sandbox share. */
const SANDBOX = "sandbox";
/** The file with the faults of slots and keeper. */
const HELPER_LOG = "helpers.log";

function workspacesInUse(rows: Rows): Set<string> {
  return new Set(rows.runs.filter((row) => row.status !== "deleted").map((row) => row.workspace_id));
}

function keptWorkspaces(rows: Rows): Set<string> {
  const inUse = workspacesInUse(rows);
  const kept = rows.workspaces.filter((row) => row.removed_at === null && inUse.has(row.id));
  return new Set(kept.map((row) => row.id));
}

function keptJobs(rows: Rows): Set<string> {
  const inUse = withSources(rows, workspacesInUse(rows));
  const runs = new Set(rows.runs.filter((row) => inUse.has(row.workspace_id)).map((row) => row.id));
  return new Set(rows.jobs.filter((job) => runs.has(job.run_id)).map((job) => job.id));
}

/** Adds the workspaces from which reruns took over jobs, because a rerun shows the logs of these jobs. */
function withSources(rows: Rows, inUse: ReadonlySet<string>): Set<string> {
  const all = new Set(inUse);
  for (let before = -1; before !== all.size;) {
    before = all.size;
    for (const rerun of rows.reruns) if (all.has(rerun.workspace_id)) all.add(rerun.source_workspace_id);
  }
  return all;
}

function workspacesOfNobody(rows: Rows): string[] {
  const used = new Set(rows.runs.map((row) => row.workspace_id));
  return rows.workspaces.filter((row) => !used.has(row.id)).map((row) => row.id);
}

function notMarked(rows: Rows): string[] {
  const inUse = workspacesInUse(rows);
  return rows.workspaces.filter((row) => row.removed_at === null && !inUse.has(row.id)).map((row) => row.id);
}

async function temporaryFiles(dataFolder: string): Promise<string[]> {
  const entries = await readdir(dataFolder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".new"))
    .map((entry) => path.join(entry.parentPath, entry.name));
}
