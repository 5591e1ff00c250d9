import path from "node:path";
import type { Effective } from "#engines/cwl/command/requirements";
import { folderEntries, stageFile } from "#engines/cwl/command/place-inputs";
import { CwlFailure, type Evaluator, type Variables } from "#engines/cwl/expressions/evaluator";
import { basenameOf, type FileValue, isFileValue } from "#engines/cwl/values/files";
import { asList, canonicalJson, isMapping, jsonText, type Mapping } from "#engines/cwl/model/json";
import { filesFromExpression, isLiteral, type Places } from "#engines/cwl/values/present";
import { hasParentSegment } from "#plumbing/files/relative-path";
import type { Mount } from "#workflow/job/job";
import type { StageEntry } from "#workflow/job/stage";

/** A file or folder to put into the working folder before the command starts. */
interface Entry {
  readonly name: string;
  readonly what: FileValue | { readonly text: string };
  readonly isWritable: boolean;
}

export interface WorkdirContext {
  readonly evaluator: Evaluator;
  readonly variables: Variables;
  readonly places: Places;
  /** The working folder, relative to the workspace. */
  readonly folder: string;
  /** True if writable files are changed in place. */
  readonly isInplace: boolean;
  /** Folder for files seen elsewhere in the container. Undefined if files must stay in the working folder. */
  readonly elsewhere: string | undefined;
  /** True if the job sees its working folder at another path, and links would break. */
  readonly copies: boolean;
  readonly what: string;
}

/** The files of `InitialWorkDirRequirement`, staged before the job starts, and their paths in the container. */
export interface Workdir {
  readonly stage: readonly StageEntry[];
  readonly mounts: readonly Mount[];
  /** Files and folders of the workspace that the job changes in place. */
  readonly updated: readonly string[];
}

/** Returns what is staged into the working folder, and adds the new places of files to `staged`. */
export function initialWorkdir(
  effective: Effective,
  context: WorkdirContext,
  staged: Record<string, string>,
): Workdir {
  const requirement = effective["InitialWorkDirRequirement"];
  const stage: StageEntry[] = [];
  const mounts: Mount[] = [];
  const updated: string[] = [];
  if (!requirement) return { stage, mounts, updated };
  const taken = new Map<string, string>();
  for (const entry of entriesOf(requirement["listing"], context)) {
    const name = checkedName(entry.name, context);
    const at = name.startsWith("/") ? name : `${context.folder}/${name}`;
    const content = canonicalJson(entry.what);
    if (taken.get(at) === content) continue;
    if (taken.has(at))
      throw new CwlFailure(`${context.what}: InitialWorkDirRequirement puts two things at ${entry.name}.`);
    taken.set(at, content);
    if (name.startsWith("/")) mounts.push(stageElsewhere(entry, name, mounts.length, context, stage, staged));
    else {
      stageEntry(entry, at, context, stage, staged);
      if (entry.isWritable && context.isInplace && !context.copies) updated.push(...placesOf(entry));
    }
  }
  return { stage, mounts, updated };
}

/** Returns the location of an entry in the workspace, or the locations of a folder literal's content. */
function placesOf({ what }: Entry): readonly string[] {
  if (!isFileValue(what)) return [];
  if (isLiteral(what))
    return folderEntries(what).flatMap((one) => placesOf({ name: "", what: one, isWritable: true }));
  return what.location!.startsWith("/") ? [] : [what.location!];
}

/** Stages a file or folder at an absolute path of the job's container. */
function stageElsewhere(
  entry: Entry,
  name: string,
  number: number,
  context: WorkdirContext,
  stage: StageEntry[],
  staged: Record<string, string>,
): Mount {
  const file = isFileValue(entry.what) ? entry.what : undefined;
  const mode = entry.isWritable ? "write" : "read";
  const isInPlace = file !== undefined && !isLiteral(file) && (!entry.isWritable || context.isInplace);
  const from = isInPlace ? file.location! : `${context.elsewhere!}/${number}`;
  if (!isInPlace) stageEntry(entry, from, { ...context, copies: true }, stage, staged);
  if (file?.location !== undefined) staged[file.location] = name;
  return { from, at: name, mode };
}

function entriesOf(listing: unknown, context: WorkdirContext): Entry[] {
  const { evaluator, variables } = context;
  if (typeof listing === "string")
    return asList(evaluator.value(listing, variables, { field: "`listing`" }))
      .flat()
      .flatMap((one) => entryOf(one, context));
  return asList(listing).flatMap((item) => {
    if (typeof item === "string")
      return asList(evaluator.value(item, variables, { field: "`listing`" }))
        .flat()
        .flatMap((one) => entryOf(one, context));
    return entryOf(item, context);
  });
}

/** Reads one entry: a file or folder, a Dirent, or null. */
function entryOf(item: unknown, context: WorkdirContext): Entry[] {
  if (item === null) return [];
  if (Array.isArray(item)) return item.flatMap((one) => entryOf(one, context));
  if (isFileValue(item)) return fileEntries(item, undefined, false, context);
  if (isMapping(item) && Object.hasOwn(item, "entry")) return dirent(item, context);
  throw new CwlFailure(
    `${context.what}: an entry of InitialWorkDirRequirement is ${JSON.stringify(item).slice(0, 80)}, not a file, a folder or a Dirent.`,
  );
}

function dirent(item: Mapping, context: WorkdirContext): Entry[] {
  const { evaluator, variables } = context;
  const entryname = evaluator.value(item["entryname"], variables, { field: "`entryname`" });
  if (entryname !== undefined && entryname !== null && typeof entryname !== "string")
    throw new CwlFailure(`${context.what}: \`entryname\` is ${JSON.stringify(entryname)}, not a text.`);
  const isWritable = item["writable"] === true;
  const value = evaluator.value(item["entry"], variables, { field: "`entry`", keepsSpace: true });
  if (value === null) return [];
  if (isFileValue(value)) return fileEntries(value, entryname ?? undefined, isWritable, context);
  if (Array.isArray(value) && value.length > 0 && value.flat().every(isFileValue)) {
    if (entryname)
      throw new CwlFailure(
        `${context.what}: \`entryname\` names one file, but the entry is a list of ${value.length}.`,
      );
    return value.flat().flatMap((one) => fileEntries(one as FileValue, undefined, isWritable, context));
  }
  if (!entryname)
    throw new CwlFailure(
      `${context.what}: an entry of InitialWorkDirRequirement with a text needs an \`entryname\`.`,
    );
  const text = typeof value === "string" ? value : jsonText(value);
  return [{ name: entryname, what: { text }, isWritable }];
}

function fileEntries(
  value: FileValue,
  name: string | undefined,
  isWritable: boolean,
  { places }: WorkdirContext,
): Entry[] {
  const file = filesFromExpression(value, places) as FileValue;
  const secondaries = (file.secondaryFiles ?? []).map((one) => ({
    name: basenameOf(one),
    what: one,
    isWritable,
  }));
  return [{ name: name ?? basenameOf(file), what: file, isWritable }, ...secondaries];
}

function checkedName(name: string, { what, elsewhere }: WorkdirContext): string {
  const clean = path.posix.normalize(name);
  if (path.posix.isAbsolute(name) && elsewhere !== undefined && clean !== "/")
    return clean.replace(/\/$/, "");
  if (path.posix.isAbsolute(name))
    throw new CwlFailure(
      `${what}: the entryname ${name} is absolute, which needs DockerRequirement as a requirement.`,
    );
  if (clean === "." || hasParentSegment(clean))
    throw new CwlFailure(`${what}: the entryname ${name} leads out of the working folder.`);
  return clean.replace(/\/$/, "");
}

function stageEntry(
  { what, isWritable }: Entry,
  at: string,
  context: WorkdirContext,
  stage: StageEntry[],
  staged: Record<string, string>,
): void {
  if ("text" in what && !isFileValue(what)) return void stage.push({ at, text: what.text });
  const file = what;
  if (file.location !== undefined) staged[file.location] = at;
  if (isLiteral(file)) {
    if (file.class === "File") return void stage.push({ at, text: file.contents ?? "" });
    stage.push({ at, folder: true });
    for (const one of folderEntries(file)) {
      const inner = `${at}/${basenameOf(one)}`;
      if (isWritable || context.copies)
        stageEntry({ name: inner, what: one, isWritable }, inner, context, stage, staged);
      else stageFile(one, inner, stage, staged);
    }
    return;
  }
  const location = file.location!;
  const copies = context.copies || (isWritable && !context.isInplace);
  stage.push(copies ? { at, copy: location } : { at, link: location });
}
