import { printable } from "#plumbing/text/printable";
import { isSameStamp } from "#workflow/job/file-stamps";

/** The declared outputs of a run at its end. */
export interface Results {
  /** Files and links, sorted by path. */
  readonly files: readonly ResultFile[];
  /** True if files are missing from the list, because too many were declared or some could not be reached. */
  readonly isCut: boolean;
}

export interface ResultFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly bytes: number;
  /** Null for a link, for a file that could not be read, and past the limits of `workspace/results/`. */
  readonly sha256: string | null;
  /** Stays equal only while the file has surely not been changed. */
  readonly stamp: string;
}

/** A result that has changed since the end of the run. */
export interface Replacement {
  readonly path: string;
  /** The first run that replaced or removed the file. */
  readonly by: string;
  readonly isGone: boolean;
}

/** A later run in the same workspace. */
export interface LaterRun {
  readonly name: string;
  /** Undefined while the run is live, and for a run of an older server without recorded results. */
  readonly results: Results | undefined;
}

/** Compares contents if both are known, otherwise stamps. */
export function isSameResult(one: ResultFile, other: ResultFile): boolean {
  if (one.sha256 !== null && other.sha256 !== null) return one.sha256 === other.sha256;
  return isSameStamp(one.stamp, other.stamp);
}

/** Returns the changed or removed results, each with the first later run responsible. */
export function replacementsOf(results: Results, later: readonly LaterRun[]): Replacement[] {
  const found = new Map<string, Replacement>();
  for (const { name, results: after } of later) {
    if (!after) continue;
    const files = new Map(after.files.map((file) => [file.path, file]));
    for (const file of results.files) {
      const now = files.get(file.path);
      // A truncated list proves no absence.
      const isKept = now ? isSameResult(file, now) : after.isCut;
      if (isKept || found.has(file.path)) continue;
      found.set(file.path, { path: file.path, by: name, isGone: now === undefined });
    }
  }
  return [...found.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

const NAMED_MAX = 3;
const SHOWN_MAX = 200;

/** Returns a warning for a user who reads the files of the run. Undefined if all files are the run's own. */
export function resultsNote(
  name: string,
  results: Results | undefined,
  later: readonly (LaterRun & { readonly isLive: boolean })[],
): string | undefined {
  const replaced = results ? replacementsOf(results, later) : [];
  if (results && replaced.length > 0) return replacedNote(name, results, replaced);
  const live = later.find(({ isLive }) => isLive);
  if (live) return `${live.name} is running in the workspace of ${name} and may replace its results.`;
  const unknown = later.find((run) => !results || !run.results);
  if (!unknown) return undefined;
  return (
    `${name} shares its workspace with ${unknown.name}, which ran later: ` +
    `its files may not be those that ${name} left.`
  );
}

function replacedNote(name: string, { files }: Results, replaced: readonly Replacement[]): string {
  const by = [...new Set(replaced.map((one) => one.by))].join(" and ");
  const all = replaced.length === files.length;
  const what = all
    ? `${name}'s results were`
    : `${replaced.length} of ${name}'s ${files.length} results were`;
  const named = replaced
    .slice(0, NAMED_MAX)
    .map(({ path, isGone }) => printable(path, SHOWN_MAX) + (isGone ? " (removed)" : ""));
  const more = replaced.length - named.length;
  return `${what} replaced by ${by}: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}
