import path from "node:path";
import { type Mapping, own } from "#engines/cwl/model/json";
import { CwlFailure } from "#engines/cwl/expressions/evaluator";
import {
  type FileValue,
  basenameOf,
  fileProblem,
  mapDeep,
  mapFiles,
  splitName,
  withoutKeys,
} from "#engines/cwl/values/files";
import { decodedUri } from "#plumbing/text/decoded-uri";

/** The places where a job sees files. Relative paths start at the workspace. */
export interface Places {
  readonly workspaceFolder: string;
  /** Paths of staged files, by location. */
  readonly staged: Readonly<Record<string, string>>;
  /** Parts of the workspace that are also mounted elsewhere in the job's container. */
  readonly mounted?: readonly Mounted[];
}

/** A part of the workspace, and its absolute path as seen by a job. */
export interface Mounted {
  readonly from: string;
  readonly at: string;
}

export function absolute(workspaceFolder: string, location: string): string {
  return location.startsWith("/") ? location : path.posix.join(workspaceFolder, location);
}

/** Completes the files in a value for an expression: with absolute paths, and the parts of their names. */
export function present(value: unknown, places: Places): unknown {
  return mapFiles(value, (file) => mapDeep(file, (one) => presented(one, places)));
}

function presented(file: FileValue, { workspaceFolder, staged, mounted = [] }: Places): FileValue {
  const { location } = file;
  const stagedAt = location === undefined ? undefined : own(staged, location);
  // The last part of a path is the name, also if the file was staged under another one.
  const basename = stagedAt === undefined ? basenameOf(file) : path.posix.basename(stagedAt);
  const place = stagedAt ?? (isLiteral(file) ? undefined : location);
  const at =
    place === undefined
      ? undefined
      : isRemote(place)
        ? place
        : absolute(workspaceFolder, moved(place, mounted, "from", "at"));
  return {
    ...file,
    basename,
    ...(location !== undefined && { location: uriOf(location, workspaceFolder) }),
    ...(at !== undefined && { path: at, dirname: path.posix.dirname(at) }),
    ...(file.class === "File" && splitName(basename)),
  };
}

/** Returns a path translated to the other side of a mount. */
function moved(
  place: string,
  mounted: readonly Mounted[],
  here: keyof Mounted,
  there: keyof Mounted,
): string {
  const mount = mounted.find((one) => place === one[here] || place.startsWith(`${one[here]}/`));
  return mount ? mount[there] + place.slice(mount[here].length) : place;
}

function uriOf(location: string, workspaceFolder: string): string {
  if (location.startsWith("_:") || isRemote(location)) return location;
  return `file://${absolute(workspaceFolder, location).split("/").map(encodeURIComponent).join("/")}`;
}

export function isRemote(location: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//.test(location);
}

/** Returns whether the content is in the value, and not in a file system. */
export function isLiteral({ location }: FileValue): boolean {
  return location === undefined || location.startsWith("_:");
}

/** Takes the files of an expression's result back into the engine's form: locations without the workspace's path. */
export function filesFromExpression(value: unknown, places: Places): unknown {
  const origins = new Map(Object.entries(places.staged).map(([location, at]) => [at, location]));
  return mapFiles(value, (file) => mapDeep(file, (one) => absorbed(one, places, origins)));
}

const DERIVED = ["path", "dirname", "nameroot", "nameext"];

function absorbed(
  file: FileValue,
  { workspaceFolder, mounted = [] }: Places,
  origins: ReadonlyMap<string, string>,
): FileValue {
  const problem = fileProblem(file);
  if (problem !== undefined) throw new CwlFailure(`A ${file.class} cannot be used: ${problem}.`);
  const given = typeof file.location === "string" ? file.location : file["path"];
  const others = withoutNulls(withoutKeys(file, ...DERIVED, "location")) as unknown as FileValue;
  if (typeof given !== "string") return withName(others);
  if (given.startsWith("_:") || (isRemote(given) && !given.startsWith("file://")))
    return withName({ ...others, location: given });
  const at = given.startsWith("file://") ? decodedUri(given.slice("file://".length)) : given;
  const inside = at.startsWith(`${workspaceFolder}/`) ? at.slice(workspaceFolder.length + 1) : at;
  const seen = path.posix.normalize(inside).replace(/(?<=.)\/$/, "");
  const clean = origins.has(seen) ? seen : moved(seen, mounted, "at", "from");
  return withName({ ...others, location: origins.get(clean) ?? clean });
}

function withoutNulls(mapping: Mapping): Mapping {
  return Object.fromEntries(Object.entries(mapping).filter(([, value]) => value !== null));
}

function withName(file: FileValue): FileValue {
  if (file.location === undefined || file.basename !== undefined || file.location.startsWith("_:"))
    return file;
  return { ...file, basename: path.posix.basename(file.location) };
}

/** Returns a value without the contents of files, because contents belong only to the step that loaded them. */
export function withoutContents(value: unknown): unknown {
  return mapFiles(value, (file) =>
    mapDeep(file, (one) => (isLiteral(one) ? one : (withoutKeys(one, "contents") as unknown as FileValue))),
  );
}
