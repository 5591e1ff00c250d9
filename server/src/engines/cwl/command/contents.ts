import path from "node:path";
import { comparableText } from "#engines/comparable-text";
import { type BoundTool, outFolder, tmpFolder, type ToolContext } from "#engines/cwl/command/tool-context";
import type { Variables } from "#engines/cwl/expressions/evaluator";
import { basenameOf, type FileValue, isFileValue } from "#engines/cwl/values/files";
import { isMapping } from "#engines/cwl/model/json";
import { absolute, isLiteral, isRemote } from "#engines/cwl/values/present";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { Job } from "#workflow/job/job";
import type { JobContents } from "#workflow/job/job-contents";
import type { StageEntry } from "#workflow/job/stage";

/**
 * Returns the data on which the result of a job depends, with names in place of the run's own paths: a restart has
 * other folders but the same command. Undefined if the job always runs.
 */
export function maybeContents(
  context: ToolContext,
  job: Job,
  bound: BoundTool,
  variables: Variables,
): JobContents | undefined {
  const { effective, evaluator, workspaceFolder, folder } = context;
  const reuse = evaluator.value(effective["WorkReuse"]?.["enableReuse"] ?? true, variables, {
    field: "WorkReuse",
  });
  const isInplace = effective["InplaceUpdateRequirement"]?.["inplaceUpdate"] === true;
  const files = [...labelled(bound.inputs)].filter(([, file]) => !isLiteral(file));
  if (reuse === false || isInplace || files.some(([, { location }]) => isRemote(location!))) return undefined;
  const names = new PathNames(workspaceFolder);
  names.add(folder, "{job}");
  names.add(outFolder(folder), "{outdir}");
  names.add(tmpFolder(folder), "{tmpdir}");
  for (const [label, file] of files) {
    const place = bound.staged[file.location!];
    const name = `{${label}}/${basenameOf(file)}`;
    names.add(file.location!, name);
    if (place !== undefined) names.add(place, name);
  }
  const named = (text: string) => names.replacedIn(text);
  const environment = Object.entries(job.environment).map(([name, value]) => [name, named(value)]);
  return {
    command: wordsOf(job.command, named),
    image: job.image,
    environment: { ...context.environment, ...(Object.fromEntries(environment) as Record<string, string>) },
    settings: settingsOf(job, folder, (place) => named(absolute(workspaceFolder, place)), named),
    inputs: Object.fromEntries(files.map(([label, { location }]) => [label, location!])),
  };
}

/** Names the paths first: whether a path has to be quoted must not matter. */
function wordsOf(command: Job["command"], named: (text: string) => string): string {
  if ("script" in command) return named(command.script);
  return command.argv.map((word) => shellQuote(named(word))).join(" ");
}

function settingsOf(
  job: Job,
  folder: string,
  nameOf: (place: string) => string,
  named: (text: string) => string,
): Record<string, string> {
  const streams = (["stdin", "stdout", "stderr"] as const).flatMap((stream) => {
    const place = job[stream];
    return place === undefined ? [] : [[stream, nameOf(place)] as const];
  });
  const staged = (job.stage ?? [])
    .filter(({ at }) => at.startsWith(`${folder}/`) && path.posix.dirname(at) !== folder)
    .map((entry) => [`staged ${entry.at.slice(folder.length + 1)}`, stagedAs(entry, nameOf, named)] as const);
  return Object.fromEntries([...streams, ...staged, ["network", job.network ?? "none"]]);
}

function stagedAs(
  entry: StageEntry,
  nameOf: (place: string) => string,
  named: (text: string) => string,
): string {
  if ("folder" in entry) return "folder";
  if ("link" in entry) return `link to ${nameOf(entry.link)}`;
  if ("copy" in entry) return `copy of ${nameOf(entry.copy)}`;
  return comparableText(named(entry.text));
}

/** Yields the files and folders in a value with the names of their places. A folder includes its contents. */
function* labelled(value: unknown, label = ""): Generator<readonly [label: string, file: FileValue]> {
  if (isFileValue(value)) {
    yield [label, value];
    yield* labelled(value.secondaryFiles, `${label}.secondaryFiles`);
    if (isLiteral(value)) yield* labelled(value.listing, `${label}.listing`);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* labelled(item, `${label}[${index}]`);
  } else if (isMapping(value)) {
    for (const [key, item] of Object.entries(value))
      yield* labelled(item, label === "" ? key : `${label}.${key}`);
  }
}

/**
 * Replaces paths of the workspace in texts. All paths share the prefix of the workspace, found in one search; the
 * longest known path wins.
 */
class PathNames {
  readonly #prefixes: readonly string[];
  readonly #names = new Map<string, string>();
  readonly #workspaceFolder: string;
  #lengths: readonly number[] | undefined;

  constructor(workspaceFolder: string) {
    this.#workspaceFolder = workspaceFolder;
    this.#prefixes = [...new Set([workspaceFolder, encoded(workspaceFolder)])];
    this.#add(workspaceFolder, "{workspace}");
  }

  /** Gives a path, relative to the workspace, a name. The first name of a path counts. */
  add(place: string, name: string): void {
    if (!place.startsWith("/")) this.#add(absolute(this.#workspaceFolder, place), name);
  }

  #add(at: string, name: string): void {
    for (const one of [at, encoded(at)]) if (!this.#names.has(one)) this.#names.set(one, name);
    this.#lengths = undefined;
  }

  replacedIn(text: string): string {
    this.#lengths ??= [...new Set([...this.#names.keys()].map(({ length }) => length))].toSorted(
      (a, b) => b - a,
    );
    let result = "";
    let at = 0;
    for (let next = this.#next(text, 0); next !== -1; next = this.#next(text, at)) {
      const length = this.#lengths.find((one) => this.#names.has(text.slice(next, next + one)))!;
      result += text.slice(at, next) + this.#names.get(text.slice(next, next + length))!;
      at = next + length;
    }
    return result + text.slice(at);
  }

  #next(text: string, from: number): number {
    const found = this.#prefixes.map((prefix) => text.indexOf(prefix, from)).filter((at) => at !== -1);
    return found.length === 0 ? -1 : Math.min(...found);
  }
}

function encoded(at: string): string {
  return at.split("/").map(encodeURIComponent).join("/");
}
