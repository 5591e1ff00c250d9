import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { codeOf } from "#plumbing/errors";

/** Kinds of entries that may replace a file that only Reprise writes. */
const FOUND = {
  link: "A link",
  pipe: "A named pipe",
  folder: "A folder",
  file: "Another file",
  special: "A socket or a device",
  unreadable: "Something that the server may not open",
  "too-long": "A file that is longer than any that Reprise writes",
  gone: "Nothing",
} as const;

const PLACES = {
  record: "the record of its attempt",
  log: "its log",
  folder: "the folder of its attempt",
  "command.sh": "the file of its command",
  container: "the file about its container",
  secrets: "a folder of its secrets",
  "secret-file": "a file of its secrets",
} as const;

type DamagePlace = keyof typeof PLACES;
export type Found = keyof typeof FOUND | "forged";

/** Matches the two words that describe damage in a record: `record pipe`. */
export const DAMAGE = new RegExp(
  `(${Object.keys(PLACES).join("|").replace(".", "\\.")}) (${Object.keys(FOUND).join("|")}|forged)`,
);

/** Thrown when the files of an attempt are not as Reprise writes them. The attempt is then lost. */
export class DamagedAttempt extends Error {
  readonly place: DamagePlace;
  readonly found: Found;

  constructor(place: DamagePlace, found: Found) {
    super(damageSentence(place, found));
    this.name = "DamagedAttempt";
    this.place = place;
    this.found = found;
  }
}

export function damageSentence(place: DamagePlace, found: Found): string {
  const what =
    found === "forged"
      ? `A line that Reprise does not write was found in ${PLACES[place]}`
      : `${FOUND[found]} was found in place of ${PLACES[place]}`;
  return `${what}, where only Reprise may write.`;
}

/** Prefix of the folder in which a new record is written, and into which a folder in the record's place is moved. */
const ASIDE = "damaged-";

/** Returns whether an earlier server has started to replace a damaged record. */
export function isBeingMended(folder: string): boolean {
  return readdirSync(folder).some((name) => name.startsWith(ASIDE));
}

/**
 * Puts a new record in the place of a damaged one. The record is whole or absent, and absent only if a folder had to be
 * moved out of its place; `isBeingMended` detects that case after a crash.
 */
export function replaceRecord(folder: string, text: string): void {
  mendFolder(folder);
  const aside = mkdtempSync(path.join(folder, ASIDE));
  const [record, fresh] = [path.join(folder, "record"), path.join(aside, "record")];
  writeFileSync(fresh, text, { mode: 0o600, flag: "wx" });
  const isFolder = lstatSync(record, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isFolder) renameSync(record, path.join(aside, "was"));
  renameSync(fresh, record);
  if (!isFolder) rmdirSync(aside);
}

/** Makes the folder usable for its owner. Anything else in the place holds no files, and is removed. */
function mendFolder(folder: string): void {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat?.isDirectory()) {
    if ((stat.mode & 0o700) !== 0o700) chmodSync(folder, 0o700);
    return;
  }
  if (stat) unlinkSync(folder);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}
