import { FOLDER_STAMP, type FileStamps, isSameStamp, REMOVED_STAMP } from "#workflow/job/file-stamps";

/** A job of a serial run, in the order of submission. */
export interface SerialJob {
  readonly id: string;
  /** Name for sentences. */
  readonly label: string;
  /** True if the job's command was executed in this run. */
  readonly hasRun: boolean;
  readonly stamps: FileStamps | null;
}

/** The jobs that changed a file, the last one first, and the file's stamp after the last change. */
export interface Writers {
  readonly jobIds: readonly string[];
  readonly stamp: string;
  /** Set if it is unknown which of several jobs made the present content. */
  readonly doubt: string | null;
}

interface Look {
  readonly jobs: readonly SerialJob[];
  readonly stamp: string | null;
}

/**
 * Finds the writers of each file by the stamps that were recorded after the jobs. Jobs between two looks at the workspace
 * are indistinguishable: all of them are named. `atStart` holds the stamps that are known of before the first job, and
 * `isOlder` tells the stamp of a file that has not changed since then.
 */
export function serialWriters(
  jobs: readonly SerialJob[],
  atStart: ReadonlyMap<string, string>,
  isOlder: (stamp: string) => boolean,
): ReadonlyMap<string, Writers> {
  const left = new Map<string, string | null>(atStart);
  const looks = new Map<string, Look[]>();
  let unseen: SerialJob[] = [];
  for (const job of jobs) {
    if (job.hasRun) unseen.push(job);
    if (!job.stamps) continue;
    for (const [path, stamp] of changes(job.stamps, left)) {
      left.set(path, stamp);
      // Files of a job that was taken over belong to the earlier run.
      if (job.hasRun && !(stamp !== null && isOlder(stamp)))
        looks.set(path, [...(looks.get(path) ?? []), { jobs: unseen, stamp }]);
    }
    unseen = [];
  }
  return new Map([...looks].flatMap(([path, seen]) => writersOf(path, seen)));
}

function changes({ isWhole, files }: FileStamps, left: ReadonlyMap<string, string | null>) {
  const seen = Object.entries(files);
  return isWhole ? seen.filter(([path, stamp]) => !isSameStamp(left.get(path), stamp)) : seen;
}

function writersOf(path: string, looks: readonly Look[]): [string, Writers][] {
  // A file that was removed and made again has the content of its later writers.
  const lastGone = looks.findLastIndex(({ stamp }) => stamp === null);
  const since = looks.slice(lastGone + 1).toReversed();
  const stamp = since[0]?.stamp;
  if (stamp === undefined || stamp === null || stamp === FOLDER_STAMP || stamp === REMOVED_STAMP) return [];
  const jobs = since.flatMap((look) => look.jobs.toReversed());
  return [[path, { jobIds: jobs.map(({ id }) => id), stamp, doubt: doubtOf(since) }]];
}

function doubtOf(looks: readonly Look[]): string | null {
  const [last] = looks;
  const labels = looks.flatMap(({ jobs }) => jobs.map(({ label }) => label));
  if (labels.length < 2) return null;
  if (looks.length === 1)
    return `The workspace was not looked at between ${listed(last!.jobs.map(({ label }) => label))}: any of these steps may have written the file.`;
  return `${listed(labels.toReversed())} changed the file one after the other: the last step may have kept parts of the earlier content.`;
}

/** Limit on the steps that a sentence names. */
const NAMED_MAX = 5;

function listed(labels: readonly string[]): string {
  if (labels.length > NAMED_MAX)
    return `${labels.slice(0, NAMED_MAX).join(", ")} and ${labels.length - NAMED_MAX} more steps`;
  return `${labels.slice(0, -1).join(", ")} and ${labels.at(-1)}`;
}
