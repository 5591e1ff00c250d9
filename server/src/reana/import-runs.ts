import type { ImportCounts } from "#reana/import-report";
import type { ImportedUsers } from "#reana/import-users";
import { convertJob, type ConvertedRun, convertRun, type LogPlace } from "#reana/convert-run";
import { crashPoint } from "#plumbing/crash-points";
import { type Connection, transaction } from "#store/database/database";
import type { ReanaDatabase } from "#store/reana/reana-database";
import type { ReanaJob, ReanaRule, ReanaShare, ReanaWorkflow } from "#store/reana/reana-rows";
import { endImportedRun, insertImportedJobs } from "#store/runs/imported-runs";
import { countCreated } from "#store/runs/run-counts";
import { insertNumberedRun, maybeRun, maybeRunByName, oneRun, type Run } from "#store/runs/runs";
import { insertShare } from "#store/sharing/shares";
import { insertImportedRules } from "#store/workspaces/retention";
import { isWorkspaceKept, maybeReserveWorkspace } from "#store/workspaces/workspaces";
import { fullName } from "#workflow/run/run-name";

export interface RunSink {
  readonly db: Connection;
  readonly source: ReanaDatabase;
  readonly isDryRun: boolean;
  /** Reads only workflows that have changed since this time. */
  readonly sinceMs?: number | undefined;
  readonly logPlace: LogPlace;
  readonly onProgress: (workflows: number) => void;
  now(): number;
  /** Frees the memory of the runs that were read. */
  freeMemory(): void;
  /** Writes the log of a job to its place. Replaces a log that an interrupted import has written. */
  writeLog(jobId: string, log: string): Promise<void>;
  /** REANA's shared volume. Absent: files are not taken. */
  readonly files?: SharedFiles;
}

interface SharedFiles {
  /** Returns why the files of a workspace cannot be copied, or undefined if its folder is there. */
  maybeProblem(path: string): string | undefined;
  /** Copies the files of a workspace, in place of what an interrupted import has copied. */
  copy(
    path: string,
    workspaceId: string,
  ): Promise<{ readonly files: number; readonly bytes: number } | { readonly problem: string }>;
}

/** Runs that are read before their memory is freed, which takes 50 ms. */
const FREED_EVERY = 2000;

/** Takes all runs that are over or were never started, in the order of their creation. */
export async function importRuns(sink: RunSink, users: ImportedUsers, counts: ImportCounts): Promise<void> {
  const busy = new Set(await sink.source.busyWorkspaces());
  const shared = await sink.source.sharedWorkspaces();
  const rehearsed = new Set<string>();
  let seen = 0;
  for await (const page of sink.source.workflows(sink.sinceMs)) {
    const chosen: Chosen[] = [];
    for (const workflow of page) {
      const owner = users.get(workflow.ownerId);
      const path = workflow.workspacePath ?? workflow.id;
      const what = nameOf(workflow, owner?.email);
      const found = { workflow, what, workspaceId: shared.get(path) ?? workflow.id };
      if (!owner) counts.leaveOut(what, "its owner is not in the table of users");
      else if (busy.has(path))
        counts.leaveOut(what, "a run in its workspace has not ended yet; import again when it has");
      else chosen.push(...(await choose(sink.db, { ...found, ownerId: owner.id }, counts)));
    }
    if (sink.isDryRun) await rehearsePage(sink, chosen, rehearsed, counts);
    else if (chosen.length > 0) await importPage(sink, chosen, users, counts);
    seen += page.length;
    counts.read = seen;
    sink.onProgress(seen);
    if (seen % FREED_EVERY === 0) sink.freeMemory();
  }
}

function nameOf({ name, runMajor, runMinor }: ReanaWorkflow, email = "an unknown user"): string {
  return `${fullName(name, runMajor ?? 0, runMinor ?? 0)} of ${email}`;
}

interface Found {
  readonly workflow: ReanaWorkflow;
  readonly what: string;
  readonly ownerId: string;
  readonly workspaceId: string;
}

/** A run to take. */
interface Chosen extends Found {
  readonly converted: ConvertedRun;
  /** True if the run was taken before it was started, and only its end is new. */
  readonly isHere: boolean;
}

/** Counts a run, and returns it if it has to be taken. */
async function choose(db: Connection, found: Found, counts: ImportCounts): Promise<readonly Chosen[]> {
  const converted = convertRun(found.workflow);
  if ("reason" in converted) {
    counts.leaveOut(found.what, converted.reason);
    return [];
  }
  const here = await maybeRun(db, found.workflow.id);
  const refusal = here ? refusalOfKnown(here, converted) : await refusalOfNew(db, found, converted);
  if (refusal !== undefined) counts.leaveOut(found.what, refusal);
  else if (here && (here.status !== "created" || !converted.end)) counts.runs.known += 1;
  else {
    counts.runs.taken += 1;
    return [{ ...found, converted, isHere: here !== undefined }];
  }
  return [];
}

/** Counts the workspaces that are missing. */
async function rehearsePage(
  sink: RunSink,
  chosen: readonly Chosen[],
  filled: Set<string>,
  counts: ImportCounts,
): Promise<void> {
  for (const run of chosen) {
    const path = await maybeWanted(sink, run, filled);
    const problem = path === undefined ? undefined : sink.files!.maybeProblem(path);
    if (problem !== undefined) counts.leaveOut(`the files of ${run.what}`, problem);
  }
}

/** Takes a page of runs: first their files and logs, which an interrupted import writes again, then all rows at once. */
async function importPage(
  sink: RunSink,
  chosen: readonly Chosen[],
  users: ImportedUsers,
  counts: ImportCounts,
): Promise<void> {
  const { source } = sink;
  const ids = chosen.map(({ workflow }) => workflow.id);
  const jobs = await source.jobs(ids);
  const belongings = {
    users,
    jobs: byWorkflow(jobs),
    rules: byWorkflow(await source.rules(ids)),
    shares: byWorkflow(await source.shares(ids)),
  };
  const filled = new Set<string>();
  for (const run of chosen) await fillWorkspace(sink, run, filled, counts);
  for await (const { jobId, log } of source.logs(jobs)) await sink.writeLog(jobId, log);
  counts.jobs += jobs.length;
  crashPoint("reana-files-imported");
  await transaction(sink.db, async (db) => {
    for (const run of chosen) {
      if (!run.isHere) await insertRun(db, run, belongings);
      await endRun(db, sink, run, belongings.jobs(run.workflow.id));
    }
  });
  crashPoint("reana-run-imported");
}

type OfWorkflow<Row> = (workflowId: string) => readonly Row[];

function byWorkflow<Row extends { readonly workflowId: string }>(rows: readonly Row[]): OfWorkflow<Row> {
  const grouped = Map.groupBy(rows, ({ workflowId }) => workflowId);
  return (workflowId) => grouped.get(workflowId) ?? [];
}

/** A run that was taken before it was started can still end. Any other change is left to the people. */
function refusalOfKnown(here: Run, { end }: ConvertedRun): string | undefined {
  if (here.status === "created" || !end || here.status === end.status) return undefined;
  return `it is ${end.status} in REANA and ${here.status} here`;
}

async function refusalOfNew(
  db: Connection,
  { ownerId }: Found,
  { run }: ConvertedRun,
): Promise<string | undefined> {
  const other = await maybeRunByName(db, ownerId, run.name, { major: run.runMajor, minor: run.runMinor });
  return other && "another run here has its name and number";
}

/** Returns the path of the files to take: with the first run of a workspace that is not deleted. */
async function maybeWanted(
  { db, files }: RunSink,
  { workflow: { workspacePath }, workspaceId, converted: { end } }: Chosen,
  filled: Set<string>,
): Promise<string | undefined> {
  const isFilled = filled.has(workspaceId) || (await isWorkspaceKept(db, workspaceId));
  if (!files || workspacePath === null || end?.status === "deleted" || isFilled) return undefined;
  filled.add(workspaceId);
  return workspacePath;
}

async function fillWorkspace(
  sink: RunSink,
  chosen: Chosen,
  filled: Set<string>,
  counts: ImportCounts,
): Promise<void> {
  const { what, ownerId, workspaceId: id, converted } = chosen;
  const path = await maybeWanted(sink, chosen, filled);
  await maybeReserveWorkspace(sink.db, { id, ownerId, createdAtMs: converted.run.createdAtMs });
  if (path === undefined) return;
  const copy = await sink.files!.copy(path, id);
  if ("problem" in copy) return counts.leaveOut(`the files of ${what}`, copy.problem);
  counts.workspaces.copied += 1;
  counts.workspaces.files += copy.files;
  counts.workspaces.bytes += copy.bytes;
}

interface Belongings {
  readonly rules: OfWorkflow<ReanaRule>;
  readonly shares: OfWorkflow<ReanaShare>;
  readonly users: ImportedUsers;
}

async function insertRun(
  db: Connection,
  { ownerId, workspaceId, converted: { run, end } }: Chosen,
  { rules, shares, users }: Belongings,
): Promise<void> {
  await countCreated(db, ownerId);
  await insertNumberedRun(db, { ...run, ownerId, workspaceId });
  const applied = ({ status, applyOnMs }: ReanaRule) => (status === "applied" ? (applyOnMs ?? 0) : null);
  await insertImportedRules(
    db,
    run.id,
    rules(run.id).map((rule) => ({ ...rule, appliedAtMs: applied(rule) })),
  );
  const readers = shares(run.id);
  if (readers.length === 0) return;
  const { seq: runSeq } = await oneRun(db, run.id);
  const isHidden = end?.status === "deleted";
  for (const { userId, message, validUntilMs: expiresAtMs } of readers) {
    const granteeId = users.get(userId)?.id;
    if (granteeId === undefined) continue;
    const share = { runSeq, ownerId, granteeId, message, isHidden, expiresAtMs };
    await insertShare(db, { ...share, sharedAtMs: run.createdAtMs });
  }
}

/** The most jobs in one statement. */
const JOBS_AT_ONCE = 1000;

async function endRun(
  db: Connection,
  sink: RunSink,
  { ownerId, workflow, converted: { end } }: Chosen,
  jobs: readonly ReanaJob[],
): Promise<void> {
  if (!end) return;
  for (let first = 0; first < jobs.length; first += JOBS_AT_ONCE) {
    const part = jobs.slice(first, first + JOBS_AT_ONCE);
    await insertImportedJobs(
      db,
      workflow.id,
      first,
      part.map((job) => convertJob(job, end.specification, sink.logPlace)),
    );
  }
  await endImportedRun(db, { id: workflow.id, ownerId }, end, sink.now());
}
