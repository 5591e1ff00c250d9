import type { Basics, Caller } from "#operations/context";
import type { WatchServices } from "#operations/watch/services";
import { type Chain, chainOf } from "#operations/watch/origin/chain";
import { type OriginStep, stepsWithIds } from "#operations/watch/origin/origin-steps";
import { Refusal } from "#plumbing/errors";
import type { Connection } from "#store/database/database";
import { type Asker, type FileRow, filesWithDigest, runsBySeq } from "#store/origin/file-rows";
import { countRunsToIndex } from "#store/origin/index-claims";
import { oneDefinition, type Run } from "#store/runs/runs";
import { granteesOf } from "#store/sharing/groups";
import { isSameStamp } from "#workflow/job/file-stamps";
import type { FileRole } from "#workflow/run/indexed-file";

/** The state of a file in its workspace, compared with the recorded file. */
export type Presence = "there" | "changed" | "gone";

/** A file with the wanted content in a run that the caller may see. */
export interface Occurrence {
  readonly run: Run;
  readonly path: string;
  readonly bytes: number | null;
  readonly role: FileRole;
  readonly presence: Presence;
  /** The steps that wrote the file, the most likely first. Empty if no step of the run made the content. */
  readonly madeBy: readonly OriginStep[];
  /** Why several steps are named, or why a step is not certain. */
  readonly doubt: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Origin {
  readonly sha256: string;
  /** Files made by a step come first, then the newest runs. */
  readonly found: readonly Occurrence[];
  /** True if more files have the content. */
  readonly isCut: boolean;
  /** What the first found file was made from. Undefined if no step is known to have made the file. */
  readonly chain: Chain | undefined;
  /** Ended runs of the caller that are not in the index yet. */
  readonly pendingRuns: number;
}

export type OriginContext = Pick<WatchServices, "db" | "clock" | "workspaces" | "fileIndex">;

/** Limit on the files that a reply describes. */
const SHOWN_MAX = 20;

/** Finds the runs visible to the caller that have a file with that content, and what the file was made from. */
export async function findOrigin(context: OriginContext, caller: Caller, sha256: string): Promise<Origin> {
  const { db, fileIndex } = context;
  await fileIndex.catchUp(caller.id);
  const asker = await askerOf(context, caller);
  const rows = await filesWithDigest(db, sha256, asker);
  const candidates = await candidatesOf(db, rows);
  const shown = candidates.slice(0, SHOWN_MAX);
  const found = await Promise.all(shown.map((one) => occurrence(context, one)));
  const [first] = found;
  const top = shown[0];
  const chain = top && first!.madeBy.length > 0 ? await chainOf(context, asker, top) : undefined;
  const pendingRuns = await countRunsToIndex(db, caller.id);
  return { sha256, found, isCut: candidates.length > shown.length, chain, pendingRuns };
}

async function askerOf({ db, clock }: Pick<Basics, "db" | "clock">, caller: Caller): Promise<Asker> {
  return { userId: caller.id, granteeIds: await granteesOf(db, caller.id), nowMs: clock.now() };
}

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
async function candidatesOf(db: Connection, rows: readonly FileRow[]): Promise<Candidate[]> {
  const runs = await runsBySeq(
    db,
    rows.map(({ runSeq }) => runSeq),
  );
  const byRun = Map.groupBy(rows, ({ runSeq }) => runSeq);
  const all = [...byRun].flatMap(([seq, files]) => candidatesIn(runs.get(seq)!, files));
  return all.toSorted((one, other) => rankOf(one) - rankOf(other) || other.run.seq - one.run.seq);
}

function candidatesIn(run: Run, rows: readonly FileRow[]): Candidate[] {
  const written = rows.filter(({ role }) => role === "written");
  const byPath = [...Map.groupBy(rows, ({ path }) => path).values()].map((files) => {
    const file = files.find(({ role }) => role === "output") ?? files[0]!;
    return { run, file, writers: files.filter(({ role }) => role === "written") };
  });
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

async function occurrence(context: OriginContext, { run, file, writers }: Candidate): Promise<Occurrence> {
  const jobIds = [...new Set(writers.flatMap(({ jobId }) => jobId ?? []))];
  const { specification, inputParameters } = await oneDefinition(context.db, run.id);
  return {
    run,
    path: file.path,
    bytes: file.bytes,
    role: file.role,
    presence: await presenceOf(context, run, file),
    madeBy: await stepsWithIds(context, run, jobIds),
    doubt: writers.find(({ doubt }) => doubt !== null)?.doubt ?? null,
    parameters: { ...specification.inputs?.parameters, ...inputParameters },
  };
}

/** A signal for looks that last no longer than a moment. */
const NEVER = new AbortController().signal;

async function presenceOf({ workspaces }: OriginContext, run: Run, file: FileRow): Promise<Presence> {
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
