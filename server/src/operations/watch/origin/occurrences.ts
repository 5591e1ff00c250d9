import type { WatchServices } from "#operations/watch/services";
import { type OriginStep, stepsWithIds } from "#operations/watch/origin/origin-steps";
import { Refusal } from "#plumbing/errors";
import type { Connection } from "#store/database/database";
import { type FileRow, runsBySeq } from "#store/origin/file-rows";
import { maybePublication } from "#store/publications/publications";
import { oneDefinition, type Run } from "#store/runs/runs";
import { isSameStamp } from "#workflow/job/file-stamps";
import type { FileRole } from "#workflow/run/indexed-file";

/** The state of a file in its workspace, compared with the recorded file. */
export type Presence = "there" | "changed" | "gone";

/** A file with the wanted content in a run that the caller may see. */
export interface Occurrence {
  readonly run: Run;
  readonly path: string;
  /** Path inside the zip or gzip at `path`. Null for the file itself. */
  readonly inside: string | null;
  readonly bytes: number | null;
  readonly role: FileRole;
  readonly presence: Presence;
  /** The steps that wrote the file, the most likely first. Empty if no step of the run made the content. */
  readonly madeBy: readonly OriginStep[];
  /** Why several steps are named, or why a step is not certain. */
  readonly doubt: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** True if the deposit of the run is published: its DOI leads to the record. False while the DOI is only reserved. */
  readonly isPublished: boolean;
}

type OccurrenceContext = Pick<WatchServices, "db" | "workspaces">;

/** A file of a run with the rows that name its writers. */
interface Candidate {
  readonly run: Run;
  readonly file: FileRow;
  readonly writers: readonly FileRow[];
}

/**
 * Groups rows by run and path. An output that was copied to its place has no writer under its own path: then the steps
 * count that left the same content elsewhere in the run, and their files are not listed again.
 */
export async function candidatesOf(db: Connection, rows: readonly FileRow[]): Promise<Candidate[]> {
  const runs = await runsBySeq(
    db,
    rows.map(({ runSeq }) => runSeq),
  );
  const byRun = Map.groupBy(rows, ({ runSeq }) => runSeq);
  const all = [...byRun].flatMap(([seq, files]) => candidatesIn(runs.get(seq)!, files));
  return all.toSorted((one, other) => rankOf(one) - rankOf(other) || other.run.seq - one.run.seq);
}

export function candidatesIn(run: Run, rows: readonly FileRow[]): Candidate[] {
  const written = rows.filter(({ role }) => role === "written");
  const byPath = [...Map.groupBy(rows, ({ path, inside = "" }) => `${path}\0${inside}`).values()].map(
    (files) => {
      const file = files.find(({ role }) => role === "output") ?? files[0]!;
      return { run, file, writers: files.filter(({ role }) => role === "written") };
    },
  );
  const isCopied = (one: Candidate) => one.file.role === "output" && one.writers.length === 0;
  const given = new Set(rows.filter(({ role }) => role === "input").map(({ path }) => path));
  const copied = byPath.filter((one) => isCopied(one) && !given.has(one.file.path));
  if (copied.length === 0 || written.length === 0) return byPath;
  const others = byPath.filter((one) => !copied.includes(one) && one.file.role !== "written");
  return [...copied.map((one) => ({ ...one, writers: written })), ...others];
}

function rankOf({ file, writers }: Candidate): number {
  if (writers.length > 0) return file.role === "output" ? 0 : 1;
  return file.role === "output" ? 2 : 3;
}

/** Describes a file, the steps and the present state. */
export async function occurrence(
  context: OccurrenceContext,
  { run, file, writers }: Candidate,
): Promise<Occurrence> {
  const jobIds = [...new Set(writers.flatMap(({ jobId }) => jobId ?? []))];
  const { specification, inputParameters } = await oneDefinition(context.db, run.id);
  return {
    run,
    path: file.path,
    inside: file.inside ?? null,
    bytes: file.bytes,
    role: file.role,
    presence: await presenceOf(context, run, file),
    madeBy: await stepsWithIds(context, run, jobIds),
    doubt: writers.find(({ doubt }) => doubt !== null)?.doubt ?? null,
    parameters: { ...specification.inputs?.parameters, ...inputParameters },
    isPublished: await isPublished(context, run),
  };
}

async function isPublished({ db }: OccurrenceContext, { id, doi }: Run): Promise<boolean> {
  if (doi === null) return false;
  const publication = await maybePublication(db, id);
  return publication?.progress.isPublished === true;
}

/** A signal for looks that last no longer than a moment. */
const NEVER = new AbortController().signal;

async function presenceOf({ workspaces }: OccurrenceContext, run: Run, file: FileRow): Promise<Presence> {
  try {
    const files = workspaces.of(run.workspaceId).forRun(NEVER);
    const [now] = (await files.maybeStampsAt(file.path, 1)) ?? [];
    if (!now) return "gone";
    return file.stamp === null || isSameStamp(now.stamp, file.stamp) ? "there" : "changed";
  } catch (error) {
    if (error instanceof Refusal) return "gone";
    throw error;
  }
}
