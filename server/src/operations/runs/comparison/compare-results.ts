import { fullNameOf } from "#operations/full-name";
import type { RunResults } from "#operations/watch/run-results";
import { isSameResult, type ResultFile } from "#workflow/run/results";
import type { FileChange, FileDifference, WorkspaceComparison } from "#workspace/comparison/comparison";

/** Maximum number of listed differences, as for workspaces. */
const DIFFERENCES_MAX = 10_000;

/** Returns whether the files in the workspaces cannot represent the two runs. */
export function mustCompareRecords(a: RunResults, b: RunResults): boolean {
  const isShared = a.run.workspaceId === b.run.workspaceId && a.run.id !== b.run.id;
  return isShared || a.replaced.length > 0 || b.replaced.length > 0;
}

/** Compares what was recorded when each run ended, or returns a sentence about why it cannot. */
export function compareResults(a: RunResults, b: RunResults): WorkspaceComparison | string {
  const missing = [a, b].find(({ results }) => !results);
  if (missing) return notRecorded(missing, missing === a ? b : a);
  const [ofA, ofB] = [filesOf(a), filesOf(b)];
  const counts = { same: 0, added: 0, removed: 0, changed: 0, unreadable: 0 };
  const differences: FileDifference[] = [];
  for (const name of [...new Set([...ofA.keys(), ...ofB.keys()])].toSorted()) {
    const [one, other] = [ofA.get(name), ofB.get(name)];
    const change = changeOf(one, other);
    counts[change] += 1;
    if (change !== "same") differences.push({ name, change, a: sideOf(one), b: sideOf(other), diff: null });
  }
  const isCut = a.results!.isCut || b.results!.isCut || differences.length > DIFFERENCES_MAX;
  return { counts, differences: differences.slice(0, DIFFERENCES_MAX), isCut };
}

function filesOf({ results }: RunResults): ReadonlyMap<string, ResultFile> {
  return new Map(results!.files.map((file) => [file.path, file]));
}

function changeOf(a: ResultFile | undefined, b: ResultFile | undefined): FileChange | "same" {
  if (!a) return "added";
  if (!b) return "removed";
  if (isSameResult(a, b)) return "same";
  const areKnown = a.sha256 !== null && b.sha256 !== null;
  return areKnown || a.bytes !== b.bytes ? "changed" : "unreadable";
}

function sideOf(file: ResultFile | undefined): FileDifference["a"] {
  return file ? { kind: "file", bytes: file.bytes } : null;
}

function notRecorded(missing: RunResults, other: RunResults): string {
  const [name, otherName] = [fullNameOf(missing.run), fullNameOf(other.run)];
  const isShared = missing.run.workspaceId === other.run.workspaceId;
  const why = isShared ? `${name} and ${otherName} share one workspace` : other.note;
  return `${why}${isShared ? "" : " Also"}, and no results of ${name} were recorded.`;
}
