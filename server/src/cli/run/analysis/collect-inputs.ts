import type { Stats } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "#cli/failure";
import { type LinkOptions, maybeRefusedLink, refusedSources } from "#cli/files/leaving-links";
import type { Declared } from "#cli/run/analysis/declared";
import { maybeStat } from "#cli/run/analysis/find-specification";
import type { LeavingLink } from "#plumbing/files/walk-inside";
import { printable } from "#plumbing/text/printable";
import { hasMagic, parseGlob } from "#plumbing/text/glob";
import { plainPath, whyOutside } from "#plumbing/files/relative-path";

/** An input file that is copied into a run. */
export interface InputFile {
  /** Path in the workspace, with `/`: the same as below the folder of the specification. */
  readonly name: string;
  readonly file: string;
  /** A value that changes with the file. */
  readonly mark: string;
  readonly bytes: number;
}

export interface Analysis extends LinkOptions {
  readonly folder: string;
  readonly declared: Declared;
  /** A folder that is always left out, because a run would copy itself. */
  readonly dataFolder: string;
}

export interface CollectedInputs {
  readonly files: readonly InputFile[];
  /** A sentence for each item that was left out: broken links and empty folders. */
  readonly leftOut: readonly string[];
}

/**
 * Returns the files that the specification declares under `inputs.files` and `inputs.directories`: files, folders with
 * everything in them, and patterns. Links in the folder are followed, as REANA's clients do: the run gets their targets.
 * Links that leave the folder are refused, unless they are allowed. All missing inputs are reported in one error.
 */
export async function collectInputs({
  folder,
  declared,
  dataFolder,
  followLinks,
}: Analysis): Promise<CollectedInputs> {
  const found = new Map<string, InputFile>();
  const missing: string[] = [];
  const leftOut = new Set<string>();
  const refused = new Map<string, LeavingLink>();
  const add = (file: InputFile) => void found.set(file.name, file);
  const walk: Walk = {
    folder,
    skipped: dataFolder,
    add,
    leaveOut: (what) => void leftOut.add(what),
    async refuses(name) {
      const link = await maybeRefusedLink(folder, name, { followLinks });
      if (link) refused.set(link.link, link);
      return link !== undefined;
    },
    wants: () => true,
  };
  for (const entry of [...declared.inputFiles, ...declared.inputFolders]) {
    const name = clean(entry);
    if (name !== undefined && (await walk.refuses(name))) continue;
    const there = name === undefined ? undefined : await maybeStat(path.join(folder, name));
    if (name === undefined) missing.push(`${entry} (a path inside the folder is needed)`);
    else if (there) await addBelow(walk, name, there, []);
    else if (!(await addMatches(walk, name))) missing.push(entry);
  }
  if (refused.size > 0) throw refusedSources("The declared inputs were", [...refused.values()]);
  if (missing.length > 0) throw missingInputs(folder, missing);
  const files = [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { files, leftOut: inFewLines([...leftOut].toSorted()) };
}

const LEFT_OUT_SHOWN_MAX = 5;

function inFewLines(all: readonly string[]): string[] {
  const more = all.length - LEFT_OUT_SHOWN_MAX;
  const shown = all.slice(0, LEFT_OUT_SHOWN_MAX).map((what) => printable(what, 300));
  return more > 0 ? [...shown, `${more} more broken links and empty folders were left out.`] : shown;
}

interface Walk {
  readonly folder: string;
  readonly skipped: string;
  readonly add: (file: InputFile) => void;
  /** Called with a sentence for each item that has no file. */
  readonly leaveOut: (what: string) => void;
  /** Returns whether a link on the way to a file or folder may not be followed, and notes it. */
  readonly refuses: (name: string) => Promise<boolean>;
  /** Returns whether a file is an input, or a folder may hold some. */
  readonly wants: (name: string, there: Stats) => boolean;
}

/**
 * Adds a file or a folder's contents. `above` holds the real paths of the folders on the way down: a link back to one
 * of them would loop for ever.
 */
async function addBelow(walk: Walk, name: string, there: Stats, above: readonly string[]): Promise<void> {
  const file = path.join(walk.folder, name);
  if (there.isFile()) walk.add({ name, file, mark: markOf(there), bytes: there.size });
  if (!there.isDirectory() || file === walk.skipped) return;
  const real = await realpath(file);
  if (above.includes(real)) return;
  const entries = await readdir(file, { withFileTypes: true });
  if (entries.length === 0) walk.leaveOut(`${name} is an empty folder and was left out.`);
  for (const inner of entries) {
    const innerName = name === "" ? inner.name : `${name}/${inner.name}`;
    const innerStat = await maybeStat(path.join(file, inner.name));
    if (innerStat && !walk.wants(innerName, innerStat)) continue;
    if (inner.isSymbolicLink() && (await walk.refuses(innerName))) continue;
    if (innerStat) await addBelow(walk, innerName, innerStat, [...above, real]);
    else walk.leaveOut(`${innerName} is a broken link and was left out.`);
  }
}

/** Adds the files that a pattern matches and the contents of matching folders. Returns whether there were any. */
async function addMatches(walk: Walk, pattern: string): Promise<boolean> {
  if (!hasMagic(pattern)) return false;
  const glob = parseGlob(pattern);
  const start = glob.start ?? "";
  if (await walk.refuses(start)) return true;
  const there = await maybeStat(path.join(walk.folder, start));
  if (!there) return false;
  let isAny = false;
  const add = (file: InputFile) => {
    if (!glob.covers(file.name)) return;
    isAny = true;
    walk.add(file);
  };
  // Items without a file are not reported, since a pattern does not ask for them by name.
  const leaveOut = () => undefined;
  const refuses = async (name: string) => {
    const isRefused = await walk.refuses(name);
    isAny ||= isRefused;
    return isRefused;
  };
  const wants = (name: string, it: Stats) => (it.isDirectory() ? glob.leadsInto(name) : glob.covers(name));
  await addBelow({ ...walk, add, leaveOut, refuses, wants }, start, there, []);
  return isAny;
}

/** Returns undefined for a path that leads outside the folder; `.` is the folder itself. */
function clean(entry: string): string | undefined {
  return whyOutside(entry) === undefined ? plainPath(entry) : undefined;
}

/** Returns a value that changes with the file, or undefined if the file does not exist. */
export async function maybeMark(file: string): Promise<string | undefined> {
  const there = await maybeStat(file);
  return there && markOf(there);
}

/**
 * Times are precise to the microsecond, since an editor may save twice in a millisecond. Size and inode show changes
 * too.
 */
function markOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

function missingInputs(folder: string, missing: readonly string[]): CommandError {
  const list =
    missing.slice(0, 10).join(", ") + (missing.length > 10 ? ` and ${missing.length - 10} more` : "");
  return new CommandError(
    `The specification declares inputs that are not there: ${list}. Looked in ${folder}. ` +
      "Add them, or take them out of inputs.files and inputs.directories.",
  );
}
