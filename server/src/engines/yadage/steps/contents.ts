import { comparableText } from "#engines/comparable-text";
import { maybeRelative, withFolder, WORKSPACE } from "#engines/yadage/state/places";
import { isWithin } from "#plumbing/files/is-within";
import { hasMagic } from "#plumbing/text/glob";
import type { Job } from "#workflow/job/job";
import type { JobContents } from "#workflow/job/job-contents";

/** The name of the workspace in comparisons: a rerun has another folder. */
export const NAMED = "{workspace}";

interface Comparable extends Pick<Job, "image" | "environment"> {
  readonly script: string;
  readonly parameters: unknown;
  /** The step's own folder. */
  readonly folder: string;
  /** Files made from the parameters, by their path as seen by the command. */
  readonly mounted: Readonly<Record<string, string>>;
}

/**
 * Returns the data on which the result of a job depends. A step reads the files and folders of the workspace named in
 * its parameters, and all files in its own folder belong to its result. Undefined if a parameter is the workspace
 * itself, because the step may read any file.
 */
export function maybeContents({
  script,
  parameters,
  folder,
  image,
  environment,
  mounted,
}: Comparable): JobContents | undefined {
  const inputs = [...inputsIn(parameters)].filter(([, path]) => !isWithin(path, folder));
  if (inputs.some(([, path]) => path === "")) return undefined;
  const named = (text: string) => withFolder(text, NAMED);
  const settings = Object.entries(mounted).map(([at, text]) => [`mounted ${at}`, comparableText(text)]);
  return {
    command: named(script),
    image,
    environment: withFolder(environment, NAMED),
    settings: Object.fromEntries(settings) as Record<string, string>,
    inputs: Object.fromEntries(inputs),
  };
}

/** Returns the first parameter equal to the workspace itself. */
export function maybeWholeWorkspace(parameters: unknown): string | undefined {
  return [...inputsIn(parameters)].find(([, path]) => path === "")?.[0];
}

/** Yields the paths in the parameters with the names of the parameters: `files[0]`. */
function* inputsIn(value: unknown, name = ""): Generator<readonly [name: string, path: string]> {
  if (typeof value === "string") {
    for (const [at, path] of pathsIn(value).entries())
      yield [`${name || "value"}${at === 0 ? "" : ` (${at + 1})`}`, path];
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* inputsIn(item, `${name}[${index}]`);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value))
      yield* inputsIn(item, name === "" ? key : `${name}.${key}`);
  }
}

/** Characters that may follow a path within a text, as in `--in=/a.txt,/b.txt`. */
const PATH = /^[^\s"'`;,:=|&<>()]*/;

/** Returns the paths in a text, relative to the workspace. A pattern counts as the folder in which it starts. */
function pathsIn(text: string): string[] {
  const [before = "", ...rests] = text.split(WORKSPACE);
  const isPath = before === "" && rests.length === 1;
  const paths = rests.map((rest) => maybeRelative(WORKSPACE + (isPath ? rest : PATH.exec(rest)![0])));
  return paths.filter((path) => path !== undefined).map(folderOfPattern);
}

function folderOfPattern(path: string): string {
  const parts = path.split("/");
  const first = parts.findIndex(hasMagic);
  return first < 0 ? path : parts.slice(0, first).join("/");
}
