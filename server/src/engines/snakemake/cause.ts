import { placeInWords } from "#plumbing/formats/line-and-column";

/**
 * The first line of an error, as Snakemake 8 and 9 print it: `KeyError in file "Snakefile", line 2:`. The last line of a
 * traceback has the message behind the colon.
 */
const HEAD =
  /^(?:\w+\.)*(\w*(?:Error|Exception))(?: in rule (\S+))?(?: in file "?(.+?)"?, line (\d+))?:(?: (.+))?$/;
/** A place in a traceback. */
const TRACED = /^\s+File "([^"]+)", line (\d+)/;
const MISSING_INPUTS = "affected files:";
const MISSING_OUTPUT = /^(.+) \(missing locally.*\)$/;
/** Errors with a full sentence as their message. */
const SPEAKING =
  /^(?:AmbiguousRule|CyclicGraph|InputFunction|MissingInput|MissingOutput|Rule)Exception$|^W\w+Error$/;
/** Snakemake's name of a file whose text has no valid beginning. */
const UNKNOWN_FILE = "<tokenize>";
const NAMED_MAX = 3;

interface Head {
  readonly type: string;
  readonly rule: string | undefined;
  readonly file: string | undefined;
  readonly line: number;
  /** The message, and the following lines. */
  readonly text: readonly string[];
}

/**
 * Returns the cause named in Snakemake's lines, as one sentence with its place: `Snakefile, line 3: rule a needs
 * data/nothere.csv, which is missing.` Undefined if no line names a cause.
 */
export function maybeCause(lines: readonly string[]): string | undefined {
  const head = lines.map((_, index) => maybeHead(lines.slice(index))).find((one) => one && !isWrapper(one));
  if (head === undefined) return undefined;
  const message = messageOf(head).replace(/[.:\s]+$/, "");
  if (message === "") return undefined;
  const place = maybePlace(head);
  const end = /[?!]$/.test(message) ? "" : ".";
  return `${place === undefined ? capitalized(message) : `${place}: ${message}`}${end}`;
}

function maybeHead([first = "", ...following]: readonly string[]): Head | undefined {
  const found = HEAD.exec(first);
  if (found === null) return undefined;
  const [, type = "", rule, file, line, rest] = found;
  return {
    type,
    rule,
    file,
    line: Number(line),
    text: rest === undefined ? following : [rest, ...following],
  };
}

/** Returns whether an error wraps another error: of a called program, or of the next line. */
function isWrapper({ type, file, text: [next = ""] }: Head): boolean {
  return type === "CalledProcessError" || (file === undefined && HEAD.test(next));
}

function messageOf({ type, rule, text }: Head): string {
  const [message = "", next = ""] = text;
  const of = rule === undefined ? "" : `rule ${rule}: `;
  switch (type) {
    case "MissingInputException": {
      const files = indentedBelow(text);
      if (files.length > 0) return `rule ${rule} needs ${which(files)} missing`;
      break;
    }
    case "MissingOutputException": {
      const files = text.flatMap((line) => MISSING_OUTPUT.exec(line)?.[1] ?? []);
      if (files.length > 0) return `rule ${rule} succeeded without making ${named(files)}`;
      break;
    }
    case "InputFunctionException":
      return of + next.trim();
    case "WildcardError":
      return `${of}${message.replace(/ \(rule .*$/, "")} ${next}`;
    case "RuleException":
      return of + message.replace(/, when formatting the following:$/, "");
  }
  return SPEAKING.test(type) ? message : `${of}${type}: ${message.replace(/^\[Errno \d+\] /, "")}`;
}

function indentedBelow(text: readonly string[]): readonly string[] {
  const from = text.findIndex((line) => line.trim() === MISSING_INPUTS) + 1;
  const indented = text.slice(from).findIndex((line) => !/^ {8}/.test(line));
  return text.slice(from, indented === -1 ? undefined : from + indented).map((line) => line.trim());
}

function which(files: readonly string[]): string {
  return `${named(files)}, which ${files.length === 1 ? "is" : "are"}`;
}

function named(files: readonly string[]): string {
  if (files.length > NAMED_MAX)
    return `${files.slice(0, NAMED_MAX).join(", ")} and ${files.length - NAMED_MAX} more`;
  const others = files.slice(0, -1).join(", ");
  return others === "" ? files[0]! : `${others} and ${files.at(-1)!}`;
}

/** Returns the place in a file of the workspace. Undefined if the place is in a library. */
function maybePlace({ file, line, text, type }: Head): string | undefined {
  if (file === UNKNOWN_FILE) return placeInWords("The Snakefile or a file that it includes", { line });
  const traced = text
    .map((one) => TRACED.exec(one))
    .find((found) => found !== null && !found[1]!.startsWith("/"));
  const isElsewhere = file?.startsWith("/") === true || type === "InputFunctionException";
  if (traced && isElsewhere) return placeInWords(traced[1]!, { line: Number(traced[2]) });
  return file === undefined ? undefined : placeInWords(file, { line });
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
