import type { PreviousRun } from "#engines/engine";

/** By path the stamp of a file and the stamp of its copy. */
type StampPairs = Readonly<Record<string, readonly [original: string, copy: string]>>;

/**
 * Tells of a run as if it had left the copies of its files. A stamp that is not that of the original when it was copied
 * is kept: it equals no copy, so what it proves does not hold.
 */
export function movedEvidence(previous: PreviousRun, pairs: StampPairs): PreviousRun {
  const moved = <Stamp extends string | null>(path: string, stamp: Stamp): Stamp | string => {
    const pair = Object.hasOwn(pairs, path) ? pairs[path]! : undefined;
    return pair && pair[0] === stamp ? pair[1] : stamp;
  };
  const movedAll = <Stamp extends string | null>(files: Readonly<Record<string, Stamp>>) =>
    Object.fromEntries(Object.entries(files).map(([path, stamp]) => [path, moved(path, stamp)]));
  return {
    ...previous,
    inputs: previous.inputs && previous.inputs.map((one) => ({ ...one, stamp: moved(one.path, one.stamp) })),
    stamps: previous.stamps && movedAll(previous.stamps),
    jobs: previous.jobs.map((job) => ({
      ...job,
      trace: job.trace && { ...job.trace, files: movedAll(job.trace.files) },
    })),
  };
}
