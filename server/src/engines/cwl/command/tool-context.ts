import type { Effective } from "#engines/cwl/command/requirements";
import type { Promised } from "#engines/cwl/command/resources";
import type { Evaluator } from "#engines/cwl/expressions/evaluator";
import type { Requirement, Tool } from "#engines/cwl/model/model";
import type { Specification } from "#workflow/specification/specification";
import type { Job } from "#workflow/job/job";
import type { Mapping } from "#engines/cwl/model/json";
import { absolute, type Mounted } from "#engines/cwl/values/present";

/** Facts about a job needed after its end. Plain JSON, without the path of the workspace. */
export interface BoundTool {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly staged: Readonly<Record<string, string>>;
  readonly promised: Promised;
  /** Mounted parts of the workspace. If absent, the job sees files at their real paths. */
  readonly mounted?: readonly Mounted[];
}

export interface ToolContext {
  readonly tool: Tool;
  readonly effective: Effective;
  readonly evaluator: Evaluator;
  readonly workspaceFolder: string;
  /** Folder of the job, relative to the workspace. */
  readonly folder: string;
  /** The run's specification. It names resources for all jobs: folders of CVMFS, a Kerberos ticket. */
  readonly specification: Specification;
  /** True if jobs record their contents to allow reuse by later runs. */
  readonly keepsContents: boolean;
  /** Variables added to the environment of every job. */
  readonly environment: Readonly<Record<string, string>>;
  /** The user of jobs in containers. Default: the backend's. */
  readonly user?: Job["user"];
  /** The step and its place, for error messages: `Step "align"`. */
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

/** Returns the absolute path of the working folder as the command sees it. */
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
