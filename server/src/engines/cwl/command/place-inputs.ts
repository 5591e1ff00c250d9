import path from "node:path";
import { CwlFailure } from "#engines/cwl/expressions/evaluator";
import { basenameOf, type FileValue, filesIn, mapDeep, mapFiles } from "#engines/cwl/values/files";
import { isLiteral } from "#engines/cwl/values/present";
import type { StageEntry } from "#workflow/job/stage";

export interface Placed {
  /** The inputs, with a location for each literal. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly stage: readonly StageEntry[];
  /** Paths at which the job sees files, by location. Files used in place are left out. */
  readonly staged: Readonly<Record<string, string>>;
}

/**
 * Gives each input file a place with its own name, next to its secondary files. A file already placed like that is used
 * in place: most jobs need no staging at all.
 */
export function placeInputs(given: Readonly<Record<string, unknown>>, folder: string): Placed {
  const inputs = named(given, folder);
  const stage: StageEntry[] = [];
  const staged: Record<string, string> = {};
  let number = 0;
  for (const file of filesIn(inputs)) {
    if (isInPlace(file) || Object.hasOwn(staged, file.location!)) continue;
    const place = `${folder}/${number}`;
    number += 1;
    stage.push({ at: place, folder: true });
    const taken = new Set<string>();
    for (const one of [file, ...(file.secondaryFiles ?? [])]) {
      const at = `${place}/${basenameOf(one)}`;
      if (taken.has(at)) continue;
      taken.add(at);
      stageFile(one, at, stage, staged);
    }
  }
  return { inputs, stage, staged };
}

/** Gives each literal a location, used as the key of its place. */
function named(given: Readonly<Record<string, unknown>>, folder: string): Readonly<Record<string, unknown>> {
  let number = 0;
  const name = (file: FileValue): FileValue => {
    if (!isLiteral(file)) return file;
    number += 1;
    return { ...file, location: `_:${folder}/${number}`, basename: file.basename ?? `literal-${number}` };
  };
  return mapFiles(given, (file) => mapDeep(file, name)) as Readonly<Record<string, unknown>>;
}

/** Returns whether the last part of a file's location is its name, and its secondary files lie in the same folder. */
function isInPlace(file: FileValue): boolean {
  if (isLiteral(file)) return false;
  const { dir, base } = path.posix.parse(file.location!);
  if (base !== basenameOf(file)) return false;
  return (file.secondaryFiles ?? []).every(
    (one) =>
      !isLiteral(one) &&
      one.location === path.posix.join(dir, basenameOf(one)) &&
      isInPlace({ ...one, secondaryFiles: [] }),
  );
}

/** Stages one file or folder. An existing folder is linked as a whole; a folder literal is built from its entries. */
export function stageFile(
  file: FileValue,
  at: string,
  stage: StageEntry[],
  staged: Record<string, string>,
): void {
  if (file.location !== undefined) staged[file.location] ??= at;
  if (!isLiteral(file)) stage.push({ at, link: file.location! });
  else if (file.class === "File") stage.push({ at, text: file.contents ?? "" });
  else {
    stage.push({ at, folder: true });
    for (const entry of folderEntries(file)) stageFile(entry, `${at}/${basenameOf(entry)}`, stage, staged);
  }
}

/** Returns the entries of a folder literal. Subfolders with equal names are merged. */
export function folderEntries({ listing = [] }: FileValue): readonly FileValue[] {
  const entries = new Map<string, FileValue>();
  for (const entry of listing.flatMap((file) => [file, ...(file.secondaryFiles ?? [])])) {
    const name = basenameOf(entry);
    const other = entries.get(name);
    entries.set(name, other ? merged(other, entry, name) : entry);
  }
  return [...entries.values()];
}

function merged(one: FileValue, other: FileValue, name: string): FileValue {
  if (!isLiteral(one) && one.location === other.location) return one;
  const areFolders = one.class === "Directory" && other.class === "Directory";
  if (areFolders && isLiteral(one) && isLiteral(other))
    return { ...one, listing: [...(one.listing ?? []), ...(other.listing ?? [])] };
  throw new CwlFailure(`The \`listing\` of a folder has two entries with the name ${name}.`);
}
