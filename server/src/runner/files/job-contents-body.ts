import type { Collected } from "#engines/engine";
import type { Difference } from "#workflow/job/decision";
import type { KnownContents } from "#workflow/job/job-contents";
import type { RunFiles } from "#workspace/run-files";

/** The body of the row of a finished job: enough to judge later whether it has to run again. */
export interface JobContentsBody {
  readonly contents: KnownContents;
  /** Digest of the job's image; null without a container. */
  readonly imageDigest: string | null;
  /** Stamps of the input files at the time of reading, by path. Folders are not included. */
  readonly inputStamps: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly exitCode: number | null;
  readonly collected: Collected;
  /** Stamps of all files in the folder. */
  readonly stamps: Readonly<Record<string, string>>;
}

/** Limit on the files that a job may leave and still be taken over. */
export const LEFT_MAX_FILES = 10_000;

export function bodyOf({ body }: { readonly body: string }): JobContentsBody {
  return JSON.parse(body) as JobContentsBody;
}

/** For each path, the stamp of a file and the stamp of its copy. */
type StampPairs = Readonly<Record<string, readonly [original: string, copy: string]>>;

/**
 * Returns the body of a row as if the job had left the copies of its files. An uncopied file keeps its stamp.
 */
export function bodyForCopies(text: string, pairs: StampPairs): string {
  const body = JSON.parse(text) as JobContentsBody;
  const moved = (stamps: JobContentsBody["stamps"]) =>
    Object.fromEntries(
      Object.entries(stamps).map(([path, stamp]) => {
        const pair = Object.hasOwn(pairs, path) ? pairs[path]! : undefined;
        return [path, pair?.[0] === stamp ? pair[1] : stamp];
      }),
    );
  const copied: JobContentsBody = {
    ...body,
    inputStamps: moved(body.inputStamps),
    stamps: moved(body.stamps),
  };
  return JSON.stringify(copied);
}

/** Compares the files left by a job with the present files. */
export async function compareFilesLeft(
  files: RunFiles,
  { folder, stamps: before }: Pick<JobContentsBody, "folder" | "stamps">,
): Promise<Difference[]> {
  const found = (await files.maybeStampsAt(folder, LEFT_MAX_FILES)) ?? [];
  const now = Object.fromEntries(found.map(({ path, stamp }) => [path, stamp]));
  const paths = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return paths.map((path) => ({
    field: `files ${path}`,
    before: before[path] ?? null,
    now: now[path] ?? null,
  }));
}
