import type { Effective } from "#engines/cwl/command/requirements";
import type { Promised } from "#engines/cwl/command/resources";
import type { Evaluator } from "#engines/cwl/expressions/evaluator";
import type { Requirement, Tool } from "#engines/cwl/model/model";
import type { Specification } from "#workflow/specification/specification";
import type { Job } from "#workflow/job/job";
import type { Mapping } from "#engines/cwl/model/json";
import { absolute, type Mounted } from "#engines/cwl/values/present";

/** The facts about a job that are needed when it has ended. Plain JSON, without the path of the workspace. */
export interface BoundTool {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly staged: Readonly<Record<string, string>>;
  readonly promised: Promised;
  /** If absent, the job sees its files where they lie. */
  readonly mounted?: readonly Mounted[];
}

export interface ToolContext {
  readonly tool: Tool;
  readonly effective: Effective;
  readonly evaluator: Evaluator;
  readonly workspaceFolder: string;
  /** Folder of the job, relative to the workspace. */
  readonly folder: string;
  /** The run's specification, which names resources for all jobs: folders of CVMFS, a Kerberos ticket. */
  readonly specification: Specification;
  /** True if jobs record their contents, so that later runs can take the jobs over. */
  readonly keepsContents: boolean;
  /** Variables that all jobs get beside their own. */
  readonly environment: Readonly<Record<string, string>>;
  /** The user of jobs in containers. Default: the backend's. */
  readonly user?: Job["user"];
  /** The step and its place, for failures: `Step "align"`. */
  readonly what: string;
}

export function outFolder(folder: string): string {
  return `${folder}/out`;
}

export function tmpFolder(folder: string): string {
  return `${folder}/tmp`;
}

/** Returns the requirement of a container, if the document insists on it: a hint changes no path. */
export function requiredContainer({ effective }: Pick<ToolContext, "effective">): Requirement | undefined {
  const container = effective["DockerRequirement"];
  return container?.isHint === false ? container : undefined;
}

/** Returns the absolute path at which the command sees its working folder. */
export function outdirOf(context: Pick<ToolContext, "workspaceFolder" | "folder" | "effective">): string {
  const named = requiredContainer(context)?.["dockerOutputDirectory"];
  return typeof named === "string" && named.startsWith("/")
    ? named.replace(/(?<=.)\/+$/, "")
    : absolute(context.workspaceFolder, outFolder(context.folder));
}

/** Returns `runtime` as expressions see it. The exit code is known only after the end. */
export function runtimeOf(
  context: Pick<ToolContext, "workspaceFolder" | "folder" | "effective">,
  promised: Promised,
): Mapping {
  const { workspaceFolder, folder } = context;
  return {
    outdir: outdirOf(context),
    tmpdir: absolute(workspaceFolder, tmpFolder(folder)),
    ...promised,
  };
}
