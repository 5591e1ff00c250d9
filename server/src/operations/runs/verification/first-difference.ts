import type { RunServices } from "#operations/runs/services";
import { isUnchanged } from "#operations/watch/origin/is-unchanged";
import { recordedFiles } from "#operations/watch/origin/recorded-files";
import { type JobRecord, jobsOfRun } from "#store/jobs/jobs";
import { filesInRole } from "#store/origin/file-rows";
import type { Run } from "#store/runs/runs";
import { runNumber } from "#workflow/run/run-name";
import type { IndexedFile } from "#workflow/run/indexed-file";
import type { FilePair } from "#workspace/equivalence/file-pair";

/** The first step whose files differ between a run and its repetition. */
export interface FoundDifference {
  /** Ids of jobs of the repetition. Several if each of them may have made the first difference. */
  readonly jobIds: readonly string[];
  /** Differing files of the first of these jobs, at most a few. */
  readonly files: readonly string[];
  /** True if the jobs ran in another image than in the original run. */
  readonly hasOtherImage: boolean;
}

type DifferenceContext = Pick<RunServices, "db" | "workspaces">;

export interface ComparedRuns {
  readonly verified: Run;
  readonly repetition: Run;
  readonly tolerance: number;
}

const FILES_MAX = 20_000;
const SHOWN_MAX = 5;

/**
 * Finds the step by the recorded writers of files. A file with several writers is charged to its last one, but all are
 * named: an earlier writer may have made the difference.
 */
export async function maybeFirstDifference(
  context: DifferenceContext,
  { verified, repetition, tolerance }: ComparedRuns,
  signal: AbortSignal,
): Promise<FoundDifference | undefined> {
  const before = await writtenFiles(context, verified, signal);
  const after = await writtenFiles(context, repetition, signal);
  const jobs = await jobsOfRun(context.db, repetition.id);
  const ordinals = new Map(jobs.map(({ id, ordinal }) => [id, ordinal]));
  const lastWriter = ({ jobIds }: Written) => Math.max(...jobIds.map((id) => ordinals.get(id) ?? 0));
  const written = [...after.values()].toSorted((one, other) => lastWriter(one) - lastWriter(other));
  const found: Written[] = [];
  for (const one of written) {
    if (found.length === SHOWN_MAX || (found.length > 0 && lastWriter(one) > lastWriter(found[0]!))) break;
    const earlier = before.get(keyOf(one));
    const [a, b] = [earlier?.file, one.file];
    const isSame =
      a &&
      (isKnownEqual(a, b) ||
        (await isJudgedSame(
          context,
          {
            a: { workspaceId: verified.workspaceId, below: earlier!.below },
            b: { workspaceId: repetition.workspaceId, below: one.below },
            pairs: [{ path: one.path, a, b }],
            tolerance,
          },
          signal,
        )));
    if (!isSame) found.push(one);
  }
  if (found.length === 0) return undefined;
  const { jobIds } = found[0]!;
  const named = jobs.filter(({ id }) => jobIds.includes(id));
  return {
    jobIds,
    files: found.map(wholePath),
    hasOtherImage: await haveOtherImage(context, verified, named),
  };
}

/** A file with the jobs that may have written its last content. */
interface Written {
  /** Folder of the run's own jobs, which has the number of the run in its name. Empty for other files. */
  readonly below: string;
  /** Relative to that folder. */
  readonly path: string;
  readonly file: FilePair["a"];
  readonly jobIds: readonly string[];
}

/** Returns the files that the jobs of a run wrote, by path. A file that was replaced since has no checksum. */
async function writtenFiles(
  { db, workspaces }: DifferenceContext,
  run: Run,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Written>> {
  const indexed = await filesInRole(db, run.seq, "written", FILES_MAX);
  const rows =
    indexed.length > 0 ? indexed : (await recordedFiles(db, run)).filter(({ role }) => role === "written");
  const byPath = Map.groupBy(rows, ({ path }) => path);
  const earlier = [...byPath].filter(([, [row]]) => row!.sha256 === null).map(([path]) => path);
  const { files } = await workspaces.of(run.workspaceId).collectResults({ declared: [], earlier }, signal);
  const present = new Map(files.map((file) => [file.path, file]));
  const written = [...byPath].map(([path, all]): Written => {
    const jobIds = all.flatMap(({ jobId }) => jobId ?? []);
    const now = present.get(path);
    const recorded = all[0]!;
    const isPresent = now !== undefined && isUnchanged(recorded, now.stamp, run);
    return { ...placeIn(run, path), file: isPresent ? now : recordedFile(recorded), jobIds };
  });
  return new Map(written.map((one) => [keyOf(one), one]));
}

function placeIn({ language, runMajor, runMinor }: Run, path: string): Pick<Written, "below" | "path"> {
  const below = `${language}/${runNumber(runMajor, runMinor)}`;
  if (!path.startsWith(`${below}/`)) return { below: "", path };
  return { below, path: path.slice(below.length + 1) };
}

/** Returns a text that is equal for the files of two runs that stand for each other. */
function keyOf({ below, path }: Written): string {
  return below === "" ? path : `/${path}`;
}

function wholePath({ below, path }: Written): string {
  return below === "" ? path : `${below}/${path}`;
}

function recordedFile({ bytes, sha256, stamp }: IndexedFile): FilePair["a"] {
  return { bytes: bytes ?? 0, sha256, stamp };
}

function isKnownEqual(a: FilePair["a"], b: FilePair["a"]): boolean {
  return a.sha256 !== null && a.sha256 === b.sha256;
}

/** A file that cannot be judged is no evidence of a difference. */
async function isJudgedSame(
  { workspaces }: DifferenceContext,
  request: Parameters<DifferenceContext["workspaces"]["judge"]>[0],
  signal: AbortSignal,
): Promise<boolean> {
  const [{ a, b }] = request.pairs as [FilePair];
  const [verdict] = await workspaces.judge(request, signal);
  if (verdict!.kind === "replaced") return a.sha256 === null || b.sha256 === null;
  return verdict!.kind !== "different";
}

async function haveOtherImage(
  { db }: DifferenceContext,
  verified: Run,
  jobs: readonly JobRecord[],
): Promise<boolean> {
  const before = new Map((await jobsOfRun(db, verified.id)).map((job) => [job.key, job.imageDigest]));
  return jobs.some(({ key, imageDigest }) => before.has(key) && before.get(key) !== imageDigest);
}
