import { type YadageContext, jq } from "#engines/yadage/state/context";
import type { DockerEnvironment, Packtivity, Process } from "#engines/yadage/model";
import { contextualized, foldersOf, inTemplate, sortedKeys } from "#engines/yadage/steps/parameters";
import { absolute, withFolder } from "#engines/yadage/state/places";
import type { Node } from "#engines/yadage/state/state";
import type { Literal } from "#engines/engine";
import type { Job, Mount } from "#workflow/job/job";
import { pythonJson, pythonStr } from "#plumbing/formats/python-text";
import { FormatError, pythonFormat } from "#plumbing/text/python-format";
import { shellQuote } from "#plumbing/text/shell-quote";
import { maybeContents, NAMED } from "#engines/yadage/steps/contents";
import { demandsOf } from "#engines/yadage/steps/resources";

/** A job of a node, and the files to write before the job. */
export interface PlannedJob {
  readonly job: Job;
  readonly files: readonly Literal[];
}

export interface JobPlace {
  /** Unique within the run. */
  readonly key: string;
  /** Id of the picture's node. */
  readonly node: string;
  readonly label?: string;
}

export function plannedJob(
  context: YadageContext,
  step: Packtivity,
  node: Node,
  place: JobPlace,
): PlannedJob {
  const { run, specification } = context;
  const { workspaceFolder } = run;
  const asGiven = contextualized(node);
  const parameters = sortedKeys(asGiven);
  const environment = step.environment!;
  const { text, script } = commandOf(step.process!, parameters);
  const docker = environment.environment_type === "docker-encapsulated" ? environment : null;
  const mounted = docker === null ? [] : mountsOf(context, docker, asGiven, node.folder!);
  const workdir = workdirOf(docker, node);
  const folder = node.folder!;
  const whole = openingOf(folder, workdir) + sourced(docker) + script;
  const image = docker === null ? null : imageOf(docker);
  const environmentVariables = docker === null ? {} : variablesOf(docker);
  const { mounts = [], ...demands } = demandsOf(docker?.resources ?? [], specification);
  const allMounts = [...mounts, ...mounted.map(({ mount }) => mount)];
  const contents = maybeContents({
    script: whole,
    parameters,
    folder,
    image,
    environment: environmentVariables,
    mounted: Object.fromEntries(mounted.map(({ mount, values }) => [mount.at, textOf(values, NAMED)])),
  });
  const job: Job = {
    ...place,
    name: node.name,
    command: { script: withFolder(whole, workspaceFolder) },
    displayCommand: withFolder(text, workspaceFolder),
    image,
    environment: environmentVariables,
    collect: { folder },
    ...(allMounts.length > 0 && { mounts: allMounts }),
    ...demands,
    ...(contents && { contents }),
  };
  const files = mounted.map(({ mount, values }) => ({
    path: mount.from,
    text: textOf(values, workspaceFolder),
  }));
  return { job, files };
}

/** Writes the values like Yadage: as JSON, one per line. */
function textOf(values: readonly unknown[], workspaceFolder: string): string {
  return values.map((value) => pythonJson(withFolder(value, workspaceFolder))).join("\n");
}

/** Returns whether the node runs anything. Yadage only publishes if either part is missing. */
export function runsJob({ process, environment }: Packtivity): boolean {
  return process !== null && environment !== null && environment.environment_type !== "noop-env";
}

/** Terminator of a script in a here-document. */
const SCRIPT_END = "REPRISE_END_OF_SCRIPT";

function commandOf(
  process: Process,
  parameters: unknown,
): { readonly text: string; readonly script: string } {
  if (process.process_type === "string-interpolated-cmd") {
    const text = inTemplate(process.cmd, parameters, { flattens: true, what: "its command" });
    return { text, script: text };
  }
  const text = inTemplate(process.script, parameters, { flattens: true, what: "its script" });
  let end = SCRIPT_END;
  while (text.includes(end)) end += "_";
  return { text, script: `${process.interpreter} <<'${end}'\n${text.replace(/\n$/, "")}\n${end}\n` };
}

/** Returns the folder in which the command starts: the step's own folder, unless the environment names another. */
function workdirOf(docker: DockerEnvironment | null, node: Node): string {
  if (!docker?.workdir) return absolute(node.folder!);
  try {
    return pythonFormat(docker.workdir, { named: foldersOf(node) });
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return docker.workdir;
  }
}

/** Makes the folders of a step like Yadage. The folders may exist from an earlier run in the workspace. */
function openingOf(folder: string, workdir: string): string {
  return `mkdir -p ${shellQuote(`${absolute(folder)}/_packtivity`)} && cd ${shellQuote(workdir)} || exit\n`;
}

function sourced(docker: DockerEnvironment | null): string {
  return docker?.envscript ? `source ${docker.envscript} && ` : "";
}

function imageOf({ image, imagetag }: DockerEnvironment): string {
  return imagetag === "" ? image : `${image}:${imagetag}`;
}

/** Accepts a map, and the list of `{name, value}` in the format of newer versions of Yadage. */
function variablesOf({ env }: DockerEnvironment): Record<string, string> {
  const entries = Array.isArray(env)
    ? (env as readonly { readonly name?: unknown; readonly value?: unknown }[]).map(({ name, value }) => [
        name,
        value,
      ])
    : Object.entries(env);
  return Object.fromEntries(entries.map(([name, value]) => [String(name), pythonStr(value)]));
}

interface ParameterMount {
  /** Results of the program. They may contain paths of the workspace. */
  readonly values: readonly unknown[];
  readonly mount: Mount;
}

/** Parameters read by the command as files: each file has the results of a jq program, one per line. */
function mountsOf(
  context: YadageContext,
  docker: DockerEnvironment,
  parameters: unknown,
  folder: string,
): ParameterMount[] {
  return docker.par_mounts.map(({ jqscript, mountpath }, index) => {
    const from = `${folder}/_yadage_parmount_${index}.txt`;
    const values = jq(context, jqscript, parameters);
    return { values, mount: { from, at: mountpath, mode: "read" } };
  });
}
