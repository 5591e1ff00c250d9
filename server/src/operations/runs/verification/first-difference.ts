import type { RunServices } from "#operations/runs/services";
import { wholePath, type Written, writtenFiles } from "#operations/runs/verification/written-files";
import { type JobRecord, jobsOfRun } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";
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

/** Limit on the files that are named. */
export const SHOWN_MAX = 5;

/**
 * Finds the step by the recorded writers of files. A file with several writers is charged to its last one, but all are
 * named: an earlier writer may have made the difference.
 */
export async function maybeFirstDifference(
  context: DifferenceContext,
  { verified, repetition, tolerance }: ComparedRuns,
  signal: AbortSignal,
): Promise<FoundDifference | undefined> {
  const original = await writtenFiles(context, verified, signal);
  const before = new Map(original.map((one) => [keyOf(one), one]));
  const after = await writtenFiles(context, repetition, signal);
  const jobs = await jobsOfRun(context.db, repetition.id);
  const ordinals = new Map(jobs.map(({ id, ordinal }) => [id, ordinal]));
  const lastWriter = ({ jobIds }: Written) => Math.max(...jobIds.map((id) => ordinals.get(id) ?? 0));
  const written = after.toSorted((one, other) => lastWriter(one) - lastWriter(other));
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

/** Returns a text that is equal for the files of two runs that stand for each other. */
function keyOf({ below, path }: Written): string {
  return below === "" ? path : `/${path}`;
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
