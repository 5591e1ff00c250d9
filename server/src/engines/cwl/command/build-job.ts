import path from "node:path";
import { commandWords, shellLine, type Word } from "#engines/cwl/command/bind";
import { initialWorkdir } from "#engines/cwl/command/initial-workdir";
import { placeInputs } from "#engines/cwl/command/place-inputs";
import {
  type BoundTool,
  outdirOf,
  outFolder,
  requiredContainer,
  runtimeOf,
  tmpFolder,
  type ToolContext,
} from "#engines/cwl/command/tool-context";
import { maybeContents } from "#engines/cwl/command/contents";
import { askedGpus } from "#engines/cwl/command/gpus";
import { limitsWith, reanaDemands } from "#engines/cwl/command/reana-hint";
import type { Effective } from "#engines/cwl/command/requirements";
import { imageOf, mountedFolder, mountsOf } from "#engines/cwl/command/mounts";
import { maybeTimeLimit, promisedResources } from "#engines/cwl/command/resources";
import { CwlFailure, type Variables } from "#engines/cwl/expressions/evaluator";
import type { Tool } from "#engines/cwl/model/model";
import { outputPatterns } from "#engines/cwl/command/output-patterns";
import { asList, type Mapping } from "#engines/cwl/model/json";
import { type FileValue } from "#engines/cwl/values/files";
import { absolute, filesFromExpression, type Places, present } from "#engines/cwl/values/present";
import { hasParentSegment } from "#plumbing/files/relative-path";
import { withGpus } from "#workflow/job/gpus";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { Command, Job } from "#workflow/job/job";
import type { StageEntry } from "#workflow/job/stage";

export type JobNames = Pick<Job, "key" | "name" | "node" | "label">;

/** Builds the job of a tool from inputs. */
export function buildJob(
  context: ToolContext,
  given: Readonly<Record<string, unknown>>,
  names: JobNames,
): { readonly job: Job; readonly bound: BoundTool } {
  const { tool, effective, evaluator, workspaceFolder, folder, what } = context;
  const { inputs, stage: inputStage, staged: inputPlaces } = placeInputs(given, `${folder}/in`);
  const staged: Record<string, string> = { ...inputPlaces };
  const container = requiredContainer(context);
  const mounted = mountedFolder(context);
  const before = presentInputs(inputs, { workspaceFolder, staged, mounted });
  const promised = promisedResources(effective, evaluator, { inputs: before });
  const runtime = runtimeOf(context, promised);
  const workdir = initialWorkdir(
    effective,
    {
      evaluator,
      variables: { inputs: before, runtime },
      places: { workspaceFolder, staged: inputPlaces, mounted },
      folder: outFolder(folder),
      elsewhere: container && `${folder}/elsewhere`,
      copies: mounted.length > 0,
      isInplace: effective["InplaceUpdateRequirement"]?.["inplaceUpdate"] === true,
      what,
    },
    staged,
  );
  const variables: Variables = {
    inputs: presentInputs(inputs, { workspaceFolder, staged, mounted }),
    runtime,
  };
  const words = commandWords(tool, { evaluator, variables });
  const stdin = stdinOf(context, variables, { workspaceFolder, staged, mounted });
  const streams = streamsOf(context, variables);
  const timeLimit = maybeTimeLimit(effective, evaluator, variables);
  const hint = effective["reana"] ?? {};
  const { gpus, isHint } = askedGpus(effective, evaluator, variables);
  const command = withStdin(commandOf(words, effective, what), stdin);
  const job: Job = {
    ...names,
    command,
    displayCommand: words.map(({ text }) => shellQuote(text)).join(" "),
    image: imageOf(effective),
    environment: environmentOf(context, variables),
    workingFolder: outFolder(folder),
    ...(stdin.inside !== undefined && { stdin: stdin.inside }),
    ...streams,
    successCodes: successCodes(tool),
    stage: [
      ...foldersOf(folder),
      ...inputStage,
      ...workdir.stage,
      ...streamFolders(context, streams, workdir.stage),
    ],
    writable: [...new Set([outFolder(folder), tmpFolder(folder), ...workdir.updated])],
    ...mountsOf(context, inputs, { ...workdir, stage: [...inputStage, ...workdir.stage] }),
    ...networkOf(context, variables),
    ...(context.user && imageOf(effective) !== null && { user: context.user }),
    ...limitsWith(hint, timeLimit === undefined ? undefined : Math.ceil(timeLimit * 1000)),
    ...reanaDemands(hint, context.specification),
    ...withGpus({ cores: promised.cores, memoryBytes: promised.ram * 2 ** 20 }, gpus, isHint),
    collect: { folder: outFolder(folder), lists: true, ...outputPatterns(tool, context, variables) },
  };
  const bound = { inputs, staged, promised, ...(mounted.length > 0 && { mounted }) };
  const contents = context.keepsContents ? maybeContents(context, job, bound, variables) : undefined;
  return { job: contents ? { ...job, contents } : job, bound };
}

/** Returns the folders for the redirected streams in the working folder, except folders created for staged entries. */
function streamFolders(
  { folder }: ToolContext,
  { stdout, stderr }: Pick<Job, "stdout" | "stderr">,
  staged: readonly StageEntry[],
): StageEntry[] {
  const folders = [stdout, stderr].flatMap((file) => (file === undefined ? [] : [path.posix.dirname(file)]));
  return [...new Set(folders)]
    .filter((one) => one !== outFolder(folder) && !staged.some(({ at }) => `${at}/`.startsWith(`${one}/`)))
    .map((at) => ({ at, folder: true }));
}

function foldersOf(folder: string): StageEntry[] {
  return [folder, `${folder}/in`, outFolder(folder), tmpFolder(folder)].map((at) => ({ at, folder: true }));
}

function presentInputs(inputs: Mapping, places: Parameters<typeof present>[1]): Variables["inputs"] {
  return present(inputs, places) as Variables["inputs"];
}

function commandOf(words: readonly Word[], effective: Effective, what: string): Command {
  if (effective["ShellCommandRequirement"]) return { argv: ["/bin/sh", "-c", shellLine(words)] };
  const [program, ...others] = words.map(({ text }) => text);
  if (program === undefined)
    throw new CwlFailure(`${what} has no command: neither baseCommand nor arguments give a word.`);
  return { argv: [program, ...others] };
}

/** Lets a shell open an input that lies outside of the workspace, where a backend opens no files. */
function withStdin(command: Command, { outside }: Stdin): Command {
  if (outside === undefined || !("argv" in command)) return command;
  return { argv: ["/bin/sh", "-c", 'file=$0; exec "$@" < "$file"', outside, ...command.argv] };
}

/** A file that the command reads as standard input. A link is never read directly: its target is. */
type Stdin = { readonly inside?: string; readonly outside?: string };

function stdinOf(context: ToolContext, variables: Variables, places: Places): Stdin {
  const { tool, evaluator, workspaceFolder, folder, what } = context;
  if (tool.stdin === undefined) return {};
  const given = textOf(evaluator.value(tool.stdin, variables, { field: "`stdin`" }), "stdin", what);
  const at = given.startsWith("/") ? given : absolute(workspaceFolder, `${outFolder(folder)}/${given}`);
  const { location = "" } = filesFromExpression({ class: "File", path: at }, places) as FileValue;
  const real = location.startsWith("_:") ? places.staged[location]! : location;
  return real.startsWith("/") ? { outside: real } : { inside: real };
}

function streamsOf(
  { tool, evaluator, folder, what }: ToolContext,
  variables: Variables,
): Pick<Job, "stdout" | "stderr"> {
  const redirects: { stdout?: string; stderr?: string } = {};
  for (const stream of ["stdout", "stderr"] as const) {
    const name = tool[stream];
    if (name === undefined) continue;
    const file = textOf(evaluator.value(name, variables, { field: `\`${stream}\`` }), stream, what);
    if (file.startsWith("/") || hasParentSegment(file))
      throw new CwlFailure(`${what}: \`${stream}\` is ${file}, which is not in the working folder.`);
    redirects[stream] = path.posix.normalize(`${outFolder(folder)}/${file}`);
  }
  return redirects;
}

function textOf(value: unknown, field: string, what: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new CwlFailure(`${what}: \`${field}\` is ${JSON.stringify(value)}, not the name of a file.`);
}

function environmentOf(context: ToolContext, variables: Variables): Record<string, string> {
  const { effective, evaluator, workspaceFolder, folder, what } = context;
  const variablesOf = asList(effective["EnvVarRequirement"]?.["envDef"]) as readonly {
    envName: string;
    envValue: string;
  }[];
  const own = variablesOf.map(({ envName, envValue }) => {
    const value = evaluator.value(envValue, variables, { field: `the variable ${envName}` });
    if (typeof value !== "string")
      throw new CwlFailure(`${what}: the variable ${envName} is ${JSON.stringify(value)}, not a text.`);
    return [envName, value] as const;
  });
  return {
    HOME: outdirOf(context),
    TMPDIR: absolute(workspaceFolder, tmpFolder(folder)),
    ...Object.fromEntries(own),
  };
}

/** Exit codes that count as success, including 0 unless it is named as a failure. */
export function successCodes({
  successCodes: named,
  temporaryFailCodes,
  permanentFailCodes,
}: Tool): readonly number[] {
  const fails = [...temporaryFailCodes, ...permanentFailCodes];
  return named.includes(0) || fails.includes(0) ? named : [...named, 0];
}

/** Before v1.1, every tool may use the network. */
function networkOf({ tool, effective, evaluator }: ToolContext, variables: Variables): Pick<Job, "network"> {
  const wanted = evaluator.value(
    effective["NetworkAccess"]?.["networkAccess"] ?? tool.version === "v1.0",
    variables,
    { field: "NetworkAccess" },
  );
  return { network: wanted === true ? "full" : "none" };
}
