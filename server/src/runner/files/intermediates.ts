import type { Ending } from "#engines/engine";
import { crashPoint } from "#plumbing/crash-points";
import { counted } from "#plumbing/text/counted";
import { humanSize } from "#plumbing/text/human-size";
import type { RemovedFiles } from "#runner/engine/engine-input";
import type { RecordedEvent, RunRecord } from "#runner/turn/record";
import type { RunJournal } from "#runner/turn/run-journal";
import type { Connection } from "#store/database/database";
import { maybeFirstEventOf } from "#store/events/run-events";
import { hasExternalChange } from "#store/runs/restarts";
import { oneDefinition, type Run } from "#store/runs/runs";
import { FOLDER_STAMP, isSameStamp } from "#workflow/job/file-stamps";
import { FOUND_FILES, LEFT_FILES, REMOVED_FILES } from "#workflow/run/event-kinds";
import { engineFiles, type KeepRequest, reportedOutputs } from "#workflow/run/kept-files";
import { declaredPaths } from "#workflow/specification/declared-paths";
import { namedBy } from "#plumbing/text/named-by";
import { ignoreDamage } from "#workspace/safe-path";
import type { Workspaces } from "#workspace/workspaces";

/**
 * The intermediate files of a run that keeps its outputs only: files made during the run that are neither
 * declared nor reported as outputs. Intermediate files are removed when the run has finished. Each step is
 * recorded before its execution, so that the next server continues after a crash.
 */

export interface IntermediatesContext {
  readonly db: Connection;
  readonly workspaces: Pick<Workspaces, "of">;
}

/**
 * Limit on the files found by a run, and on the files named by an event. An event must fit into a database
 * row.
 */
const NAMED_MAX_FILES = 10_000;

interface FoundFiles {
  /**
   * Null if there were too many files. The files made by the run are unknown then, and no file is removed.
   */
  readonly paths: readonly string[] | null;
}

interface LeftFiles {
  /** Stamps of the files, by path. */
  readonly stamps: Readonly<Record<string, string>>;
}

/**
 * Returns the event that records the files found by a run, before the run begins. Undefined if the event is
 * recorded already. Files from earlier, unfinished runs of the workspace do not count as found.
 */
export async function maybeFoundFiles(
  { db, workspaces }: IntermediatesContext,
  run: Run,
): Promise<RecordedEvent | undefined> {
  if (await maybeFirstEventOf(db, run.id, FOUND_FILES)) return undefined;
  const { restart } = await oneDefinition(db, run.id);
  const present = await workspaces.of(run.workspaceId).maybeStamps(NAMED_MAX_FILES);
  const previous = restart?.previous;
  const left = previous ? await maybeFirstEventOf(db, previous, LEFT_FILES) : undefined;
  const { stamps = {} } = (left?.body ?? {}) as Partial<LeftFiles>;
  const isMade = ([path, stamp]: readonly [string, string]) => isSameStamp(stamps[path], stamp);
  const paths = present && filesIn(present.stamps).flatMap((entry) => (isMade(entry) ? [] : [entry[0]]));
  const body: FoundFiles = { paths: paths ?? null };
  return { kind: FOUND_FILES, body, lines: paths ? [] : [logged(TOO_MANY.why)] };
}

/** Why all intermediate files of a run are kept. */
interface Kept {
  readonly why: string;
}

const TOO_MANY: Kept = {
  why: `Intermediate files are kept: the workspace held more than ${NAMED_MAX_FILES} files when the run began.`,
};
const CHANGED: Kept = { why: "Intermediate files are kept: files were changed by a user during the run." };

interface Intermediates {
  isIntermediate(path: string): boolean;
  /** Declared and reported files. If a file is a link, its target must be spared as well. */
  readonly kept: readonly string[];
}

/** Returns a test for intermediate files, or the reason why the run's own files are unknown. */
export async function intermediateTest(
  { db }: IntermediatesContext,
  run: Run,
  request: KeepRequest,
  ending?: Ending,
): Promise<Intermediates | Kept> {
  const event = await maybeFirstEventOf(db, run.id, FOUND_FILES);
  const { paths = null } = (event?.body ?? {}) as Partial<FoundFiles>;
  if (!paths) return TOO_MANY;
  if (await hasExternalChange(db, run.id)) return CHANGED;
  const found = new Set(paths);
  const { inputs, outputs } = declaredPaths(request.specification);
  const reported = ending?.do === "finish" ? reportedOutputs(run.language, ending.outputs) : [];
  const own = engineFiles(run.language, request);
  const kept = [...inputs, ...outputs, ...own, ...reported.filter((path) => !path.startsWith("/"))];
  const isKept = namedBy(kept);
  return { isIntermediate: (path) => !found.has(path) && !isKept(path), kept };
}

interface Removal {
  readonly request: KeepRequest;
  readonly journal: Pick<RunJournal, "commit" | "assertLease">;
  /** The end of the run, which is recorded after the removal. */
  readonly record: RunRecord;
}

/**
 * Removes the intermediate files of a finished run. For any other run, only names the files, because a
 * restart may finish the run. Returns the record of the end, which follows the records written here.
 */
export async function withoutIntermediates(
  context: IntermediatesContext,
  run: Run,
  removal: Removal,
): Promise<RunRecord> {
  const { record, request } = removal;
  if (record.ending?.do === "finish") return removeIntermediates(context, run, removal);
  const left = await maybeLeftFiles(context, run, request);
  return left ? { ...record, events: [...record.events, left] } : record;
}

async function removeIntermediates(
  context: IntermediatesContext,
  run: Run,
  { request, journal, record }: Removal,
): Promise<RunRecord> {
  const { db, workspaces } = context;
  const made = await intermediateTest(context, run, request, record.ending);
  if ("why" in made) return withLine(record, made.why);
  const workspace = workspaces.of(run.workspaceId);
  const isIntermediate = await workspace.sparing(made.kept, made.isIntermediate);
  let next = record;
  if (!(await maybeFirstEventOf(db, run.id, REMOVED_FILES))) {
    const { files, totalFiles, totalBytes } = await workspace.prunable(isIntermediate, NAMED_MAX_FILES);
    if (totalFiles === 0) return record;
    const body: RemovedFiles = { files: totalFiles, bytes: totalBytes, paths: files.map(({ name }) => name) };
    const events = [{ kind: REMOVED_FILES, body, lines: [logged(sentenceOf(body))] }];
    await journal.commit({ ...emptied(record), events });
    next = { ...record, firstSeq: record.firstSeq + events.length };
  }
  const mayContinue = async () => {
    await journal.assertLease();
    // A user's file must not be mistaken for a file of the run.
    if (await hasExternalChange(db, run.id)) throw new ChangedMeanwhile();
  };
  try {
    await workspace.prune(isIntermediate, mayContinue);
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) throw error;
    return withLine(next, CHANGED.why);
  }
  crashPoint("intermediates-removed");
  return next;
}

/** Thrown when a user changes files of the workspace during the removal. */
class ChangedMeanwhile extends Error {}

function withLine(record: RunRecord, line: string): RunRecord {
  const [last] = record.events.slice(-1);
  if (!last) return record;
  return {
    ...record,
    events: [...record.events.slice(0, -1), { ...last, lines: [...last.lines, logged(line)] }],
  };
}

function sentenceOf({ files, bytes }: RemovedFiles): string {
  return `Removing ${counted(files, "intermediate file")} (${humanSize(bytes)}), because the run keeps its outputs only.`;
}

async function maybeLeftFiles(
  context: IntermediatesContext,
  run: Run,
  request: KeepRequest,
): Promise<RecordedEvent | undefined> {
  const made = await intermediateTest(context, run, request);
  if ("why" in made) return undefined;
  const present = await context.workspaces
    .of(run.workspaceId)
    .maybeStamps(NAMED_MAX_FILES)
    .catch(ignoreDamage);
  if (!present) return undefined;
  const body: LeftFiles = {
    stamps: Object.fromEntries(filesIn(present.stamps).filter(([path]) => made.isIntermediate(path))),
  };
  return { kind: LEFT_FILES, body, lines: [] };
}

function filesIn(stamps: Readonly<Record<string, string>>): [path: string, stamp: string][] {
  return Object.entries(stamps).filter(([, stamp]) => stamp !== FOLDER_STAMP);
}

function logged(line: string) {
  return { logger: "root", level: "INFO", line } as const;
}

function emptied({ firstSeq }: RunRecord): RunRecord {
  return { firstSeq, events: [], ended: [], stamps: [], contents: [], jobs: [], admitted: [] };
}
