import { Refusal } from "#plumbing/errors";
import type {
  ComparisonRequest,
  FileChange,
  FileDifference,
  FileSide,
  WorkspaceComparison,
} from "#workspace/comparison/comparison";
import { fileContents } from "#workspace/comparison/file-contents";
import {
  type FolderEntry,
  type HeldFolder,
  type Look,
  maybeHold,
  TooManyEntries,
  unlessGone,
} from "#workspace/comparison/held-folder";
import { textDifferences } from "#workspace/comparison/text-differences";
import { tooDeep } from "#workspace/find/list-files";
import { FOLDERS_DEEP_MAX } from "#plumbing/files/relative-path";
import { isNotPermitted } from "#workspace/safe-path";

/** Limit of entries on each side, the same as for a listing. */
const ENTRIES_MAX = 100_000;
/** Limit of differences in the result; further ones are only counted. */
const DIFFERENCES_MAX = 10_000;

/**
 * Compares two folders. Blocks its thread until everything has been compared, so it must not run in the server's main
 * thread.
 */
export function compareFolders(request: ComparisonRequest): WorkspaceComparison {
  const { a, b } = request;
  const comparison = new Comparison(request);
  try {
    comparison.compare(maybeHold(a), maybeHold(b), "", 0);
  } catch (error) {
    if (error instanceof TooManyEntries) throw tooMany();
    if (isNotPermitted(error)) throw notAllowed(error);
    throw error;
  }
  return comparison.result();
}

/** An entry found in one or both folders. */
interface Pair {
  readonly name: Buffer;
  readonly a: FolderEntry | undefined;
  readonly b: FolderEntry | undefined;
}

class Comparison {
  readonly #counts = { added: 0, removed: 0, changed: 0, unreadable: 0, same: 0 };
  readonly #differences: FileDifference[] = [];
  readonly #contents = fileContents();
  readonly #texts;
  #isCut = false;
  #seen = { a: 0, b: 0 };

  constructor(request: ComparisonRequest) {
    this.#texts = textDifferences(request);
  }

  result(): WorkspaceComparison {
    return { counts: this.#counts, differences: this.#differences, isCut: this.#isCut };
  }

  /** Compares two folders and closes both. A missing folder counts as empty. */
  compare(a: HeldFolder | undefined, b: HeldFolder | undefined, prefix: string, depth: number): void {
    try {
      if (depth > FOLDERS_DEEP_MAX) throw tooDeep({ name: prefix, why: "too-deep" });
      for (const pair of merged(this.#entries(a, "a"), this.#entries(b, "b"))) {
        const name = `${prefix}${pair.name.toString()}`;
        const difference = this.#differenceOf(pair, { a, b }, name);
        if (difference) this.#add(difference);
        if (isFolderOnBothOrAlone(pair)) this.#below(pair, { a, b }, name, depth);
      }
    } finally {
      a?.close();
      b?.close();
    }
  }

  #entries(folder: HeldFolder | undefined, side: "a" | "b"): FolderEntry[] {
    const entries = folder?.entries(ENTRIES_MAX - this.#seen[side]) ?? [];
    this.#seen[side] += entries.length;
    return entries;
  }

  #add(difference: FileDifference): void {
    const { change, a, b } = difference;
    if ((a ?? b)!.kind !== "folder" || (b ?? a)!.kind !== "folder") this.#counts[change] += 1;
    if (this.#differences.length < DIFFERENCES_MAX) this.#differences.push(difference);
    else this.#isCut = true;
  }

  #below({ name, a, b }: Pair, folders: Folders, shown: string, depth: number): void {
    try {
      const [inA, inB] = enterBoth(folders, { name, a, b });
      this.compare(inA, inB, `${shown}/`, depth + 1);
    } catch (error) {
      if (!isNotPermitted(error)) throw error;
      const side: FileSide = { kind: "folder", bytes: 0 };
      this.#counts.unreadable += 1;
      this.#add({ name: shown, change: "unreadable", a: a ? side : null, b: b ? side : null, diff: null });
    }
  }

  /** Returns undefined if the two are equal, folders, or gone. */
  #differenceOf({ name, ...pair }: Pair, folders: Folders, shown: string): FileDifference | undefined {
    const lookedA = pair.a && folders.a?.maybeLook(name);
    const lookedB = pair.b && folders.b?.maybeLook(name);
    if (!lookedA || !lookedB) return oneSided(shown, lookedA, lookedB);
    if (lookedA.kind === "folder" && lookedB.kind === "folder") return undefined;
    const [a, b] = [sideOf(lookedA), sideOf(lookedB)];
    const both = { a: folders.a!, b: folders.b! };
    const change = this.#changeOf(both, name, lookedA, lookedB);
    if (change === "same") this.#counts.same += 1;
    if (change === "same") return undefined;
    const isText = change === "changed" && a.kind === "file" && b.kind === "file";
    const diff = isText ? this.#maybeText(both, { name, a, b }) : null;
    return { name: shown, change, a, b, diff };
  }

  #changeOf(folders: BothFolders, name: Buffer, a: Look, b: Look): FileChange | "same" {
    if (a.kind !== b.kind || a.bytes !== b.bytes) return "changed";
    // Both names are hard links to one file.
    if (a.ino === b.ino && a.dev === b.dev) return "same";
    try {
      const isEqual = a.kind === "link" ? haveEqualTargets(folders, name) : this.#areEqual(folders, name);
      return isEqual ? "same" : "changed";
    } catch (error) {
      if (isNotPermitted(error)) return "unreadable";
      throw error;
    }
  }

  #areEqual({ a, b }: BothFolders, name: Buffer): boolean {
    return this.#contents.areEqual(a, b, name);
  }

  #maybeText(
    { a, b }: BothFolders,
    file: { readonly name: Buffer; readonly a: FileSide; readonly b: FileSide },
  ): string | null {
    try {
      return this.#texts.maybeOf(a, b, file);
    } catch (error) {
      // Only the text diff is omitted: the sizes already show a change.
      if (isNotPermitted(error)) return null;
      throw error;
    }
  }
}

interface Folders {
  readonly a: HeldFolder | undefined;
  readonly b: HeldFolder | undefined;
}

interface BothFolders {
  readonly a: HeldFolder;
  readonly b: HeldFolder;
}

function enterBoth(
  folders: Folders,
  { name, a, b }: Pair,
): [a: HeldFolder | undefined, b: HeldFolder | undefined] {
  const inA = a && folders.a?.maybeEnter(name);
  try {
    return [inA, b && folders.b?.maybeEnter(name)];
  } catch (error) {
    inA?.close();
    throw error;
  }
}

function isFolderOnBothOrAlone({ a, b }: Pair): boolean {
  return (a ?? b)!.kind === "folder" && (b ?? a)!.kind === "folder";
}

function oneSided(name: string, a: Look | undefined, b: Look | undefined): FileDifference | undefined {
  if (a) return { name, change: "removed", a: sideOf(a), b: null, diff: null };
  return b && { name, change: "added", a: null, b: sideOf(b), diff: null };
}

function sideOf({ kind, bytes }: Look): FileSide {
  return { kind, bytes };
}

function haveEqualTargets({ a, b }: BothFolders, name: Buffer): boolean {
  const [inA, inB] = [a, b].map((folder) => unlessGone(() => folder.linkTarget(name)));
  return inA !== undefined && inB !== undefined && inA.equals(inB);
}

/** Merges two sorted lists. */
function* merged(a: readonly FolderEntry[], b: readonly FolderEntry[]): Generator<Pair> {
  let [atA, atB] = [0, 0];
  while (atA < a.length || atB < b.length) {
    const [one, other] = [a[atA], b[atB]];
    const order = one && other ? one.name.compare(other.name) : one ? -1 : 1;
    if (order <= 0) atA += 1;
    if (order >= 0) atB += 1;
    const [inA, inB] = [order <= 0 ? one : undefined, order >= 0 ? other : undefined];
    yield { name: (inA ?? inB)!.name, a: inA, b: inB };
  }
}

function tooMany(): Refusal {
  return new Refusal(
    "malformed",
    `The files cannot be compared: a workspace holds more than ${ENTRIES_MAX}. Delete what is not needed, or move it into an archive.`,
  );
}

function notAllowed(cause: unknown): Refusal {
  const sentence = "The files cannot be compared: the permissions of a workspace's folder do not allow it.";
  return new Refusal("malformed", sentence, { cause });
}
