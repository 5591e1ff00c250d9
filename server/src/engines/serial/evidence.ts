import type { InputTrace, PreviousRun, Traced } from "#engines/engine";
import type { Difference } from "#engines/reuse";
import { FOLDER_STAMP, isSameStamp, type Trace } from "#workflow/trace";

/**
 * What the files of the workspace prove about the run that was there last. Declared inputs have to hold what they held
 * when it began; everything else has to be as its commands left it. Nothing is known of which command reads which file.
 */

/** Specifications lie beside the data, where REANA's clients put them; no command is a function of them. */
const SPECIFICATION_FILE = /^reana[^/]*\.ya?ml$/;
/** A person looks at the first few. */
const SHOWN_MAX = 20;

/** Declared inputs that do not hold what they held. */
export function inputChanges(
  before: readonly InputTrace[] | null,
  [declaredBefore, declaredNow]: readonly [readonly string[], readonly string[]],
  now: readonly InputTrace[] | null,
): Difference[] {
  if (String(declaredBefore) !== String(declaredNow))
    return [{ field: "inputs", before: declaredBefore, now: declaredNow }];
  if (declaredNow.length === 0) return [];
  if (!before || !now) return [{ field: "inputs", before: before && "traced", now: now && "traced" }];
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

function byPath(inputs: readonly InputTrace[]): ReadonlyMap<string, InputTrace> {
  return new Map(inputs.map((input) => [input.path, input]));
}

/** By what they hold, where that was read; a file too large for that has to be untouched. */
function isSameInput(one: InputTrace | undefined, other: InputTrace | undefined): boolean {
  if (!one || !other) return false;
  if (one.sha256 !== null && other.sha256 !== null) return one.sha256 === other.sha256;
  return isSameStamp(one.stamp, other.stamp);
}

function contentOf(input: InputTrace | undefined): string | null {
  return input ? (input.sha256 ?? input.stamp) : null;
}

/** There was, or is, more in the workspace than is looked at. */
export const NOBODY_LOOKED: Difference = { field: "files", before: null, now: null };

const isSpecification = (path: string) => SPECIFICATION_FILE.test(path);

type Files = ReadonlyMap<string, string | null>;

/** What each command of a run did to the files of the workspace; null for what it removed. */
export interface History {
  /** For each job; nothing for one after which nobody looked. */
  readonly touched: readonly (Files | undefined)[];
  /** What was there in the end. */
  readonly left: Files;
}

export function historyOf(previous: PreviousRun): History {
  const isInput = inputTest(previous);
  const left = new Map<string, string | null>(Object.entries(previous.stamps ?? {}));
  const touched = previous.jobs.map(({ trace }) => {
    if (!trace) return undefined;
    const seen = new Map(Object.entries(trace.files));
    // Of inputs that were taken over nothing is told: that they were as they had to be is settled.
    const gone = trace.isWhole ? [...left.keys()].filter((path) => !seen.has(path) && !isInput(path)) : [];
    const files = new Map([...seen].filter(([path, stamp]) => !isSameStamp(left.get(path), stamp)));
    const changes = trace.isWhole ? files : seen;
    for (const path of gone) changes.set(path, null);
    for (const [path, stamp] of changes) left.set(path, stamp);
    return changes;
  });
  return { touched, left };
}

function inputTest({ inputs }: PreviousRun): (path: string) => boolean {
  const paths = new Set((inputs ?? []).map(({ path }) => path));
  return (path) => paths.has(path);
}

/**
 * What is not as the run left it, or found it, and was touched by none of its commands: any of them might have read it.
 * So might it be with what is there now and was not when it ended.
 */
export function strangeFiles(
  previous: PreviousRun,
  { touched, left }: History,
  traced: Traced,
): Difference[] {
  const last = previous.jobs.findLastIndex((job) => job.reason !== "not-started");
  if (last === -1) return [];
  const { stamps } = traced;
  if (!stamps || !touched[last]) return [NOBODY_LOOKED];
  const declared = new Set([...(traced.inputs ?? []), ...(previous.inputs ?? [])].map(({ path }) => path));
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
 * For each of the first so many jobs what has changed of all that it and those before it left; nothing for one after
 * which nobody looked, up to which alone nothing can be taken over. What a later command wrote over is no matter if it
 * was there before the run: that one runs again.
 */
export function* changesAfterEach(
  previous: PreviousRun,
  { touched }: History,
  count: number,
  { stamps }: Traced,
): Generator<readonly Difference[] | undefined> {
  const inputs = byPath(previous.inputs ?? []);
  const changed = new Map<string, Difference>();
  for (const files of touched.slice(0, count)) {
    for (const [path, stamp] of files ?? []) {
      const difference = changeOf(path, stamp, inputs.get(path), stamps ?? {});
      if (difference) changed.set(path, difference);
      else changed.delete(path);
    }
    yield files && stamps ? firstOf(changed.values()) : undefined;
  }
}

/** After each of many jobs, of many changes. */
function firstOf(changes: Iterable<Difference>): Difference[] {
  const first: Difference[] = [];
  for (const change of changes) {
    if (first.length === SHOWN_MAX) break;
    first.push(change);
  }
  return first;
}

/** What inputs hold is compared elsewhere; here they have to be untouched since the run began. */
function changeOf(
  path: string,
  stamp: string | null,
  input: InputTrace | undefined,
  stamps: Readonly<Record<string, string>>,
): Difference | undefined {
  const now = input ? input.stamp : Object.hasOwn(stamps, path) ? stamps[path]! : null;
  if (isSameStamp(stamp, now) || isSpecification(path)) return undefined;
  return { field: `${input ? "inputs" : "files"} ${path}`, before: stamp, now };
}

/** What the next restart compares with. */
export function traceToKeep(previous: PreviousRun, { touched }: History, position: number): Trace | null {
  const files = touched[position];
  if (!files) return null;
  const isInput = inputTest(previous);
  return { isWhole: false, files: Object.fromEntries([...files].filter(([path]) => !isInput(path))) };
}
