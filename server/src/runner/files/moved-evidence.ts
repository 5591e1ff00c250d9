import type { PreviousRun } from "#engines/engine";

/** For each path, the stamp of a file and the stamp of its copy. */
type StampPairs = Readonly<Record<string, readonly [original: string, copy: string]>>;

/**
 * Rewrites the evidence of a run as if the run had left the copies of its files. A stamp that differs from
 * the original's stamp at the time of copying is kept: the old stamp matches no copy, and so proves no file
 * unchanged.
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
      stamps: job.stamps && { ...job.stamps, files: movedAll(job.stamps.files) },
    })),
  };
}
