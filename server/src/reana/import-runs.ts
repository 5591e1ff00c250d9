import type { ImportCounts } from "#reana/import-report";
import type { ImportedUsers } from "#reana/import-users";
import { convertJob, type ConvertedRun, convertRun, type LogPlace } from "#reana/convert-run";
import { crashPoint } from "#plumbing/crash-points";
import { type Connection, transaction } from "#store/database/database";
import type { ReanaDatabase } from "#store/reana/reana-database";
import type { ReanaRule, ReanaShare, ReanaWorkflow } from "#store/reana/reana-rows";
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
  readonly logPlace: LogPlace;
  readonly onProgress: (workflows: number) => void;
  now(): number;
  /** Writes the log of a job to its place. Replaces a log that an interrupted import has written. */
  writeLog(jobId: string, log: string): Promise<void>;
  /** Copies the files of a workspace, in place of what an interrupted import has copied. Absent: files are not taken. */
  readonly copyFiles?: CopyFiles;
}

type CopyFiles = (
  path: string,
  workspaceId: string,
) => Promise<{ readonly files: number; readonly bytes: number } | { readonly problem: string }>;

/** Takes all runs that are over or were never started, in the order of their creation. */
export async function importRuns(sink: RunSink, users: ImportedUsers, counts: ImportCounts): Promise<void> {
  const busy = new Set(await sink.source.busyWorkspaces());
  const workspaces = new Map<string, string>();
  let seen = 0;
  for await (const page of sink.source.workflows()) {
    for (const workflow of page) {
      const owner = users.get(workflow.ownerId);
      const path = workflow.workspacePath ?? workflow.id;
      const workspaceId = workspaces.get(path) ?? workflow.id;
      workspaces.set(path, workspaceId);
      const what = nameOf(workflow, owner?.email);
      if (!owner) counts.leaveOut(what, "its owner is not in the table of users");
      else if (busy.has(path))
        counts.leaveOut(what, "a run in its workspace has not ended yet; import again when it has");
      else await importRun(sink, { workflow, what, ownerId: owner.id, workspaceId }, users, counts);
    }
    seen += page.length;
    sink.onProgress(seen);
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

async function importRun(
  sink: RunSink,
  found: Found,
  users: ImportedUsers,
  counts: ImportCounts,
): Promise<void> {
  const converted = convertRun(found.workflow);
  if ("reason" in converted) return counts.leaveOut(found.what, converted.reason);
  const here = await maybeRun(sink.db, found.workflow.id);
  const refusal = here ? refusalOfKnown(here, converted) : await refusalOfNew(sink.db, found, converted);
  if (refusal !== undefined) return counts.leaveOut(found.what, refusal);
  if (here && (here.status !== "created" || !converted.end)) return void (counts.runs.known += 1);
  counts.runs.taken += 1;
  if (sink.isDryRun) return;
  await fillWorkspace(sink, found, converted, counts);
  counts.jobs += await writeLogs(sink, found.workflow.id);
  crashPoint("reana-files-imported");
  const rules = await sink.source.rules(found.workflow.id);
  const shares = await sink.source.shares(found.workflow.id);
  await transaction(sink.db, async (db) => {
    if (!here) await insertRun(db, found, converted, { rules, shares, users });
    if (converted.end) await endRun(db, sink, found, converted.end);
  });
  crashPoint("reana-run-imported");
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

/** Copies the files with the first run of the workspace that is not deleted. */
async function fillWorkspace(
  sink: RunSink,
  { workflow, what, ownerId, workspaceId }: Found,
  { run, end }: ConvertedRun,
  counts: ImportCounts,
): Promise<void> {
  const isFilled = await isWorkspaceKept(sink.db, workspaceId);
  await maybeReserveWorkspace(sink.db, { id: workspaceId, ownerId, createdAtMs: run.createdAtMs });
  if (!sink.copyFiles || workflow.workspacePath === null || end?.status === "deleted" || isFilled) return;
  const copy = await sink.copyFiles(workflow.workspacePath, workspaceId);
  if ("problem" in copy) return counts.leaveOut(`the files of ${what}`, copy.problem);
  counts.workspaces.copied += 1;
  counts.workspaces.files += copy.files;
  counts.workspaces.bytes += copy.bytes;
}

/** Returns the number of jobs. */
async function writeLogs(sink: RunSink, workflowId: string): Promise<number> {
  let jobs = 0;
  for await (const page of sink.source.jobs(workflowId)) {
    for (const job of page) if (job.logs) await sink.writeLog(job.id, job.logs);
    jobs += page.length;
  }
  return jobs;
}

interface Additions {
  readonly rules: readonly ReanaRule[];
  readonly shares: readonly ReanaShare[];
  readonly users: ImportedUsers;
}

async function insertRun(
  db: Connection,
  { ownerId, workspaceId }: Found,
  { run, end }: ConvertedRun,
  { rules, shares, users }: Additions,
): Promise<void> {
  await countCreated(db, ownerId);
  await insertNumberedRun(db, { ...run, ownerId, workspaceId });
  const { seq: runSeq } = await oneRun(db, run.id);
  await insertImportedRules(
    db,
    run.id,
    rules.map((rule) => ({ ...rule, appliedAtMs: rule.status === "applied" ? (rule.applyOnMs ?? 0) : null })),
  );
  const isHidden = end?.status === "deleted";
  for (const { userId, message, validUntilMs: expiresAtMs } of shares) {
    const granteeId = users.get(userId)?.id;
    if (granteeId === undefined) continue;
    const share = { runSeq, ownerId, granteeId, message, isHidden, expiresAtMs };
    await insertShare(db, { ...share, sharedAtMs: run.createdAtMs });
  }
}

async function endRun(
  db: Connection,
  sink: RunSink,
  { ownerId, workflow }: Found,
  end: NonNullable<ConvertedRun["end"]>,
): Promise<void> {
  let ordinal = 0;
  for await (const page of sink.source.jobs(workflow.id)) {
    await insertImportedJobs(
      db,
      workflow.id,
      ordinal,
      page.map((job) => convertJob(job, end.specification, sink.logPlace)),
    );
    ordinal += page.length;
  }
  await endImportedRun(db, { id: workflow.id, ownerId }, end, sink.now());
}
