import type { PreviousRun, Stamped } from "#engines/engine";
import type { Difference } from "#workflow/job/decision";
import {
  FOLDER_STAMP,
  type FileStamps,
  type InputStamp,
  isSameStamp,
  REMOVED_STAMP,
} from "#workflow/job/file-stamps";

/**
 * Works out what the files of the workspace prove about the last run. Declared inputs must have the same content as at
 * the start; all remaining files must be as commands left them. It is unknown which command reads which file.
 */

/** Matches specifications, placed among the data by REANA's clients. No command depends on specifications. */
const SPECIFICATION_FILE = /^reana[^/]*\.ya?ml$/;
/** Maximum number of differences shown: a person reads only the first few. */
const SHOWN_MAX = 20;

/** Returns the declared inputs with changed content. */
export function inputChanges(
  before: readonly InputStamp[] | null,
  [declaredBefore, declaredNow]: readonly [readonly string[], readonly string[]],
  now: readonly InputStamp[] | null,
): Difference[] {
  if (String(declaredBefore) !== String(declaredNow))
    return [{ field: "inputs", before: declaredBefore, now: declaredNow }];
  if (declaredNow.length === 0) return [];
  if (!before || !now) return [{ field: "inputs", before: before && "recorded", now: now && "recorded" }];
  const [old, present] = [byPath(before), byPath(now)];
  const paths = [...new Set([...old.keys(), ...present.keys()])].toSorted();
  return paths
    .filter((path) => !isSameInput(old.get(path), present.get(path)))
    .slice(0, SHOWN_MAX)
    .map((path) => ({
      field: `inputs ${path}`,
      before: contentOf(old.get(path)),
      now: contentOf(present.get(path)),
    }));
}

function byPath(inputs: readonly InputStamp[]): ReadonlyMap<string, InputStamp> {
  return new Map(inputs.map((input) => [input.path, input]));
}

/** Compares the content, if known. A file too large to read must be untouched. */
function isSameInput(one: InputStamp | undefined, other: InputStamp | undefined): boolean {
  if (!one || !other) return false;
  if (one.sha256 !== null && other.sha256 !== null) return one.sha256 === other.sha256;
  return isSameStamp(one.stamp, other.stamp);
}

function contentOf(input: InputStamp | undefined): string | null {
  return input ? (input.sha256 ?? input.stamp) : null;
}

/** The difference if the workspace had, or has, more files than are compared. */
export const FILES_UNKNOWN: Difference = { field: "files", before: null, now: null };

export const isSpecification = (path: string) => SPECIFICATION_FILE.test(path);

type Files = ReadonlyMap<string, string | null>;

/** The changes to the files of the workspace made by each command of a run; null for a removed file. */
export interface History {
  /** Changes by job. Undefined if the workspace was not inspected after the job. */
  readonly touched: readonly (Files | undefined)[];
  /** The files at the end of the run. */
  readonly left: Files;
  /** Position of each job among the jobs of the run, by key. */
  readonly positionOf: ReadonlyMap<string, number>;
}

export function historyOf(previous: PreviousRun): History {
  const isInput = inputTest(previous);
  const left = new Map<string, string | null>(Object.entries(previous.stamps ?? {}));
  const touched = previous.jobs.map(({ stamps }) => {
    if (!stamps) return undefined;
    const seen = new Map(Object.entries(stamps.files));
    // Stamps of taken-over jobs leave out inputs, because inputs are known to be unchanged.
    const gone = stamps.isWhole ? [...left.keys()].filter((path) => !seen.has(path) && !isInput(path)) : [];
    const files = new Map([...seen].filter(([path, stamp]) => !isSameStamp(left.get(path), stamp)));
    const changes = stamps.isWhole ? files : seen;
    for (const path of gone) changes.set(path, null);
    for (const [path, stamp] of changes) left.set(path, stamp);
    return changes;
  });
  markRemoved(previous, touched, left);
  const positionOf = new Map(previous.jobs.map(({ key }, position) => [key, position]));
  return { touched, left, positionOf };
}

/** Marks the files that the run removed, and folders that may have disappeared as a result. */
function markRemoved(
  { removed = [] }: PreviousRun,
  touched: readonly (Map<string, string | null> | undefined)[],
  left: Map<string, string | null>,
): void {
  const folders = new Set(removed.flatMap(foldersOf));
  for (const files of [left, ...touched]) {
    for (const path of removed) if (files?.has(path)) files.set(path, REMOVED_STAMP);
    for (const path of folders) if (files?.get(path) === FOLDER_STAMP) files.set(path, REMOVED_STAMP);
  }
}

function foldersOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

function inputTest({ inputs }: PreviousRun): (path: string) => boolean {
  const paths = new Set((inputs ?? []).map(({ path }) => path));
  return (path) => paths.has(path);
}

/**
 * Returns the files changed since the run left or found them, except files touched by its commands, because any command
 * might have read them. Files that have appeared since the end of the run are included for the same reason.
 */
export function unexplainedChanges(
  previous: PreviousRun,
  { touched, left }: History,
  stamped: Stamped,
): Difference[] {
  const last = previous.jobs.findLastIndex((job) => job.reason !== "not-started");
  if (last === -1) return [];
  const { stamps } = stamped;
  if (!stamps || !touched[last]) return [FILES_UNKNOWN];
  const declared = new Set([...(stamped.inputs ?? []), ...(previous.inputs ?? [])].map(({ path }) => path));
  const isStrange = (path: string) => !declared.has(path) && !isSpecification(path);
  const byCommands = new Set(touched.flatMap((files) => [...(files?.keys() ?? [])]));
  const found = [...left].filter(([path]) => !byCommands.has(path) && isStrange(path));
  const changed = found.flatMap(([path, stamp]) => changeOf(path, stamp, undefined, stamps) ?? []);
  const isNew = ([path, stamp]: readonly [string, string]) =>
    (left.get(path) ?? null) === null && isStrange(path) && stamp !== FOLDER_STAMP && !byCommands.has(path);
  const added = Object.entries(stamps).filter(isNew);
  return [
    ...changed,
    ...added.map(([path, stamp]) => ({ field: `files ${path}`, before: null, now: stamp })),
  ].slice(0, SHOWN_MAX);
}

/**
 * Yields, for each of the first `count` jobs, the later changes in all files left by the job and the jobs before it.
 * Yields undefined for a job without an inspection of the workspace afterwards; the reused prefix cannot end at such a
 * job. A file overwritten by a later command does not matter if it existed before the run, because the later command
 * runs again. `matters` filters differences.
 */
export function* changesAfterEach(
  previous: PreviousRun,
  { touched }: History,
  count: number,
  { stamps }: Stamped,
  matters: (difference: Difference) => boolean = () => true,
): Generator<readonly Difference[] | undefined> {
  const inputs = byPath(previous.inputs ?? []);
  const changed = new Map<string, Difference>();
  for (const files of touched.slice(0, count)) {
    for (const [path, stamp] of files ?? []) {
      const difference = changeOf(path, stamp, inputs.get(path), stamps ?? {});
      if (difference && matters(difference)) changed.set(path, difference);
      else changed.delete(path);
    }
    yield files && stamps ? firstOf(changed.values()) : undefined;
  }
}

/** Takes only the first changes, because the function runs once per job. */
function firstOf(changes: Iterable<Difference>): Difference[] {
  const first: Difference[] = [];
  for (const change of changes) {
    if (first.length === SHOWN_MAX) break;
    first.push(change);
  }
  return first;
}

/**
 * Returns the difference between a file and its stamp. The content of inputs is compared elsewhere; here, inputs must
 * be untouched since the start of the run.
 */
function changeOf(
  path: string,
  stamp: string | null,
  input: InputStamp | undefined,
  stamps: Readonly<Record<string, string>>,
): Difference | undefined {
  const now = input ? input.stamp : Object.hasOwn(stamps, path) ? stamps[path]! : null;
  if (isSameStamp(stamp, now) || isSpecification(path)) return undefined;
  if (stamp === REMOVED_STAMP && now === FOLDER_STAMP) return undefined;
  return { field: `${input ? "inputs" : "files"} ${path}`, before: stamp, now };
}

/** Returns whether a file is missing because a finished run removed it as an intermediate file. */
export function isRemoved({ before, now }: Difference): boolean {
  return before === REMOVED_STAMP && now === null;
}

/** Returns a function that compares a file with its state at the end of the run. */
export function changeSince(
  previous: PreviousRun,
  { left }: History,
  { stamps }: Stamped,
): (path: string) => Difference | undefined {
  const inputs = byPath(previous.inputs ?? []);
  return (path) => changeOf(path, left.get(path) ?? null, inputs.get(path), stamps ?? {});
}

/** Returns the stamps to compare with in the next restart. */
export function stampsToKeep(
  previous: PreviousRun,
  { touched }: History,
  jobIndex: number,
): FileStamps | null {
  const files = touched[jobIndex];
  if (!files) return null;
  const isInput = inputTest(previous);
  return { isWhole: false, files: Object.fromEntries([...files].filter(([path]) => !isInput(path))) };
}
