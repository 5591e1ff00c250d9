import path from "node:path";
import { isMapping, type Mapping } from "#engines/cwl/model/json";

/**
 * A file or folder inside the engine. `location` is a path in the workspace, or an absolute path outside. Literals have
 * no location: a file with `contents`, a folder with a `listing`.
 */
export interface FileValue {
  readonly class: "File" | "Directory";
  readonly location?: string;
  readonly basename?: string;
  readonly contents?: string;
  readonly listing?: readonly FileValue[];
  readonly secondaryFiles?: readonly FileValue[];
  readonly size?: number;
  readonly checksum?: string;
  readonly format?: string;
  readonly [field: string]: unknown;
}

export function isFileValue(value: unknown): value is FileValue {
  return isMapping(value) && (value["class"] === "File" || value["class"] === "Directory");
}

const TEXTS = ["location", "path", "basename", "contents", "format", "checksum"];
const LISTS = ["listing", "secondaryFiles"];

/** Returns the problem of a file or folder written by a document, an expression or a tool, as a clause. */
export function fileProblem(file: Mapping): string | undefined {
  const text = TEXTS.find((key) => !["string", "undefined"].includes(typeof (file[key] ?? undefined)));
  if (text !== undefined) return `its \`${text}\` is ${JSON.stringify(file[text])}, not a text`;
  const list = LISTS.find((key) => !isListOfFiles(file[key] ?? []));
  if (list !== undefined) return `its \`${list}\` is not a list of files and folders`;
  const { basename } = file;
  if (typeof basename === "string" && (basename.includes("/") || basename === "." || basename === ".."))
    return `its \`basename\` is ${JSON.stringify(basename)}, which is no name of a file`;
  return undefined;
}

function isListOfFiles(value: unknown): boolean {
  return Array.isArray(value) && value.every(isFileValue);
}

export function basenameOf({ basename, location }: FileValue): string {
  return basename ?? (location === undefined ? "" : path.posix.basename(location));
}

/** Splits a name before its last extension: `a.tar.gz` → `a.tar` and `.gz`. A leading dot starts no extension. */
export function splitName(basename: string): { readonly nameroot: string; readonly nameext: string } {
  const cut = basename.lastIndexOf(".");
  const isExtension = cut > 0 && /[^.]/.test(basename.slice(0, cut));
  return isExtension
    ? { nameroot: basename.slice(0, cut), nameext: basename.slice(cut) }
    : { nameroot: basename, nameext: "" };
}

/** Replaces each file and folder in a value. The function decides about nested files. */
export function mapFiles(value: unknown, change: (file: FileValue) => unknown): unknown {
  if (isFileValue(value)) return change(value);
  if (Array.isArray(value)) return value.map((item) => mapFiles(item, change));
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapFiles(item, change)]));
}

/** Returns the files and folders in a value, including secondary files and folder entries if `isDeep` is set. */
export function filesIn(value: unknown, isDeep = false): FileValue[] {
  const found: FileValue[] = [];
  const visit = (one: unknown): void => {
    if (isFileValue(one)) {
      found.push(one);
      if (isDeep) [one.secondaryFiles, one.listing].forEach(visit);
    } else if (Array.isArray(one)) one.forEach(visit);
    else if (isMapping(one)) Object.values(one).forEach(visit);
  };
  visit(value);
  return found;
}

/** Changes a file or folder, recursively with all secondary files and folder entries. */
export function mapDeep(file: FileValue, change: (file: FileValue) => FileValue): FileValue {
  const changed = change(file);
  const { secondaryFiles, listing } = changed;
  return {
    ...changed,
    ...(secondaryFiles && { secondaryFiles: secondaryFiles.map((one) => mapDeep(one, change)) }),
    ...(listing && { listing: listing.map((one) => mapDeep(one, change)) }),
  };
}

/** Returns the name of a secondary file: `^` removes an extension of the name, then the rest is appended. */
export function secondaryName(basename: string, pattern: string): string {
  let name = basename;
  let rest = pattern;
  while (rest.startsWith("^")) {
    name = splitName(name).nameroot;
    rest = rest.slice(1);
  }
  return name + rest;
}

/** Returns the path of a sibling. */
export function siblingPath(location: string, name: string): string {
  const cut = location.lastIndexOf("/");
  return path.posix.normalize(`${location.slice(0, cut + 1)}${name}`);
}

export function withoutKeys(mapping: Mapping, ...keys: readonly string[]): Mapping {
  return Object.fromEntries(Object.entries(mapping).filter(([key]) => !keys.includes(key)));
}
